import { render } from "preact";
import { App } from "./app";
import { onLinkClick } from "./lib/route";
import { applyTheme } from "./lib/theme";

applyTheme();
document.addEventListener("click", onLinkClick);
render(<App />, document.getElementById("app") as HTMLElement);

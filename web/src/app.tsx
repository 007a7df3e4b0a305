import { Component, type ComponentChildren } from "preact";
import { useTitle } from "./lib/hooks";
import { cleanPath } from "./lib/page_path";
import { usePlace } from "./lib/route";
import { pageAt } from "./pages";
import { Shell } from "./shell";

export function App() {
  const path = cleanPath(usePlace().path);
  const found = pageAt(path);
  return (
    <Shell path={path} fillsWindow={found?.entry.fillsWindow ?? false}>
      <Guard key={found?.entry.isKept ? found.entry.path : path}>{found?.drawn ?? <NotFound path={path} />}</Guard>
    </Shell>
  );
}

function NotFound({ path }: { path: string }) {
  useTitle("No such page");
  return (
    <div class="empty">
      <h1>There is no page at this address.</h1>
      <p class="mono">{path}</p>
      <p>
        Go to the <a href="/">overview</a>, the <a href="/runs">runs</a>, or search with <kbd>/</kbd>.
      </p>
    </div>
  );
}

/** A mistake of ours on one page must not take the frame away. */
class Guard extends Component<{ children: ComponentChildren }, { failed: string | null }> {
  override state = { failed: null as string | null };
  static override getDerivedStateFromError(error: unknown) {
    return { failed: String(error) };
  }
  override componentDidCatch(error: unknown) {
    console.error(error);
  }
  override render() {
    if (this.state.failed === null) return this.props.children;
    return (
      <div class="problem" role="alert">
        <strong>This page could not be drawn</strong>
        <p class="mono">{this.state.failed}</p>
        <p class="quiet">
          That is a defect of benchhud; the data is untouched. Please report it with the address of this page.
        </p>
      </div>
    );
  }
}

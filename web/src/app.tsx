import { Component, type ComponentChildren, type ComponentType } from "preact";
import { usePlace } from "./lib/route";
import { useTitle } from "./lib/hooks";
import { AlertPage } from "./pages/alert";
import { AlertsPage } from "./pages/alerts";
import { CoveragePage } from "./pages/coverage";
import { ErrorsPage } from "./pages/errors";
import { IngestPage, IngestsPage } from "./pages/ingests";
import { ModelPage } from "./pages/model";
import { ModelsPage } from "./pages/models";
import { OverviewPage } from "./pages/overview";
import { RunPage } from "./pages/run";
import { RunsPage } from "./pages/runs";
import { SearchPage } from "./pages/search";
import { SignInPage } from "./pages/sign_in";
import { SlicePage } from "./pages/slice";
import { VerificationPage } from "./pages/verification";
import { later } from "./parts/later";
import { Shell } from "./shell";

// What a morning does not begin with is fetched when it is opened.
const ArtifactsPage = later(async () => (await import("./pages/artifacts")).ArtifactsPage);
const ArtifactViewPage = later(async () => (await import("./pages/artifacts")).ArtifactViewPage);
const HloPage = later(async () => (await import("./pages/hlo")).HloPage);
const ComparePage = later(async () => (await import("./pages/compare")).ComparePage);
const ProfilePage = later(async () => (await import("./pages/profile")).ProfilePage);
const ProfileDiffPage = later(async () => (await import("./pages/profile_diff")).ProfileDiffPage);
const ProfileComparisonPage = later(async () => (await import("./pages/profile_comparison")).ProfileComparisonPage);
const TracePage = later(async () => (await import("./pages/trace")).TracePage);
const ApiPage = later(async () => (await import("./pages/api")).ApiPage);
const ExplorePage = later(async () => (await import("./pages/explore")).ExplorePage);

export function App() {
  const { path } = usePlace();
  const clean = path.length > 1 ? path.replace(/\/+$/, "") : path;
  return (
    <Shell path={clean}>
      <Guard key={sort(clean)}>{page(clean)}</Guard>
    </Shell>
  );
}

/** What must not be drawn anew: from run to run the old numbers stay, greyed, until the new ones are here. */
function sort(path: string): string {
  return path.startsWith("/runs/") ? "/runs/:id" : path;
}

/** Pages of what has a number: /alerts/3. */
const NUMBERED = new Map<string, ComponentType<{ id: number }>>([
  ["alerts", AlertPage],
  ["ingests", IngestPage],
  ["artifact", ArtifactViewPage],
  ["trace", TracePage],
  ["hlo", HloPage],
]);

function page(path: string) {
  const parts = path.split("/").slice(1).map(decoded);
  if (path === "/" || path === "/index.html") return <OverviewPage />;
  if (path === "/compare") return <ComparePage />;
  if (path === "/runs") return <RunsPage />;
  if (parts[0] === "runs" && parts.length === 2) return <RunPage id={parts[1] as string} />;
  if (path === "/verification") return <VerificationPage />;
  if (path === "/models") return <ModelsPage />;
  if (parts[0] === "models" && parts.length === 3)
    return <ModelPage suite={parts[1] as string} model={parts[2] as string} />;
  if (path === "/explore") return <ExplorePage />;
  if (parts[0] === "backends" && parts.length === 2) return <SlicePage kind="backend" name={parts[1] as string} />;
  if (parts[0] === "suites" && parts.length === 2) return <SlicePage kind="suite" name={parts[1] as string} />;
  if (path === "/alerts") return <AlertsPage />;
  if (path === "/coverage") return <CoveragePage />;
  if (path === "/ingests") return <IngestsPage />;
  if (path === "/errors") return <ErrorsPage />;
  if (path === "/search") return <SearchPage />;
  if (path === "/profile") return <ProfilePage />;
  if (path === "/profile-diff") return <ProfileDiffPage />;
  if (path === "/profile-comparison") return <ProfileComparisonPage />;
  if (path === "/sign-in") return <SignInPage />;
  if (path === "/api") return <ApiPage />;
  if (path === "/artifacts") return <ArtifactsPage />;
  const Numbered = NUMBERED.get(parts[0] as string);
  // Whole numbers that are told apart: what is longer is nothing's.
  if (Numbered && parts.length === 2 && /^\d{1,15}$/.test(parts[1] as string))
    return <Numbered key={path} id={Number(parts[1])} />;
  return <NotFound path={path} />;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
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

// Every page: its address, what draws it, and how it is reached.
import type { VNode } from "preact";
import { type PathParts, partsOf } from "./lib/page_path";
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

type Reach = {
  /** In the navigation and in the search; a page without it is reached by links alone. */
  name?: string;
  /** What else it is searched by. */
  words?: string;
  /** Opens it after g. */
  key?: string;
  isInNavigation?: boolean;
  /** It scrolls within itself. */
  fillsWindow?: boolean;
  /** The page stays mounted between two of its addresses: the previous numbers stay, greyed, until the new ones arrive. */
  isKept?: boolean;
};

export type PageEntry = Reach & { path: string; draw: (path: string) => VNode | null };

/** `path`: see lib/page_path.ts. */
function page<Path extends string>(path: Path, draw: (parts: PathParts<Path>) => VNode, reach: Reach = {}): PageEntry {
  return {
    ...reach,
    path,
    draw: (asked) => {
      const parts = partsOf(path, asked);
      return parts === null ? null : draw(parts);
    },
  };
}

/** In the order of the navigation, and of the search before anything is typed. */
export const PAGES: readonly PageEntry[] = [
  page("/", () => <OverviewPage />, { name: "Overview", key: "o", isInNavigation: true }),
  page("/compare", () => <ComparePage />, { name: "Compare", key: "c", isInNavigation: true }),
  page("/runs", () => <RunsPage />, { name: "Runs", key: "r", isInNavigation: true }),
  page("/verification", () => <VerificationPage />, { name: "Verification", key: "v", isInNavigation: true }),
  page("/explore", () => <ExplorePage />, { name: "Explore", key: "x", isInNavigation: true }),
  page("/alerts", () => <AlertsPage />, { name: "Alerts", key: "a", isInNavigation: true }),
  page("/ingests", () => <IngestsPage />, { name: "Ingests", key: "i", isInNavigation: true }),
  page("/models", () => <ModelsPage />, { name: "Models", key: "m" }),
  page("/errors", () => <ErrorsPage />, {
    name: "Errors",
    words: "failures crashes out of memory exceptions signatures",
  }),
  page("/coverage", () => <CoveragePage />, { name: "Coverage", words: "expected missing skipped not run lost" }),
  page("/artifacts", () => <ArtifactsPage />, { name: "Dumps", words: "artifacts traces profiles" }),
  page("/api", () => <ApiPage />, { name: "REST API", words: "reference openapi documentation curl endpoints" }),
  page("/search", () => <SearchPage />, { name: "Search page" }),
  page("/sign-in", () => <SignInPage />, { name: "Sign in", words: "token session log in out account" }),
  page("/runs/:run", ({ run }) => <RunPage id={run} />, { isKept: true }),
  page("/models/:suite/:model", ({ suite, model }) => <ModelPage suite={suite} model={model} />),
  page("/backends/:name", ({ name }) => <SlicePage kind="backend" name={name} />),
  page("/suites/:name", ({ name }) => <SlicePage kind="suite" name={name} />),
  page("/alerts/#id", ({ id }) => <AlertPage id={id} />),
  page("/ingests/#id", ({ id }) => <IngestPage id={id} />),
  page("/artifact/#id", ({ id }) => <ArtifactViewPage id={id} />),
  page("/hlo/#id", ({ id }) => <HloPage id={id} />),
  page("/trace/#id", ({ id }) => <TracePage id={id} />, { fillsWindow: true }),
  page("/profile", () => <ProfilePage />),
  page("/profile-diff", () => <ProfileDiffPage />),
  page("/profile-comparison", () => <ProfileComparisonPage />),
];

/** The page at a clean path (lib/page_path.ts), drawn; null where there is none. */
export function pageAt(path: string): { entry: PageEntry; drawn: VNode } | null {
  for (const entry of PAGES) {
    const drawn = entry.draw(path);
    if (drawn) return { entry, drawn };
  }
  return null;
}

// Starts the dashboard: the frame around all views, keys that work everywhere, the link to the server.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Server } from "./answers.ts";
import { get, listen, useLoad } from "./api.ts";
import { Keys, Palette } from "./palette.tsx";
import { isForText, Notices, Trouble } from "./pieces.tsx";
import { go, type Route, useRoute } from "./route.ts";
import { Dreams } from "./views/dreams.tsx";
import { Evaluation } from "./views/evaluation.tsx";
import { Health } from "./views/health.tsx";
import { Home } from "./views/home.tsx";
import { Library } from "./views/library.tsx";
import { Playground } from "./views/playground.tsx";
import { Relations } from "./views/relations.tsx";
import { Sessions } from "./views/sessions.tsx";
import { Skill } from "./views/skill.tsx";

/** The views in the order of the menu; the key after `g` leads to each. */
const VIEWS = [
  { view: "home", title: "Home", key: "h", render: () => <Home /> },
  { view: "library", title: "Library", key: "l", render: ({ query }: Route) => <Library query={query} /> },
  {
    view: "playground",
    title: "Playground",
    key: "p",
    render: ({ query }: Route) => <Playground query={query} />,
  },
  {
    view: "evaluation",
    title: "Evaluation",
    key: "e",
    render: ({ query }: Route) => <Evaluation query={query} />,
  },
  { view: "sessions", title: "Sessions", key: "s", render: (route: Route) => <Sessions route={route} /> },
  { view: "dreams", title: "Dreams", key: "d", render: ({ query }: Route) => <Dreams query={query} /> },
  {
    view: "relations",
    title: "Relations",
    key: "r",
    render: ({ query }: Route) => <Relations query={query} />,
  },
  { view: "health", title: "Health", key: "o", render: () => <Health /> },
] as const;

function App() {
  const route = useRoute();
  const server = useLoad("server", () => get<Server>("/server"));
  const [isThere, setThere] = useState(true);
  const [overlay, setOverlay] = useState<"palette" | "keys">();
  const isIn = server.data !== undefined;
  useEffect(() => (isIn ? listen(setThere) : undefined), [isIn]);
  useShortcuts(setOverlay);
  useFocusOn(`${route.view}/${route.subject}`);
  if (server.error) return <Outside error={server.error} />;
  const found = VIEWS.find(({ view }) => view === route.view);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={toContent}>
        Skip to the content
      </button>
      <div class="side">
        <nav aria-label="Views">
          <a class="brand" href="#/home">
            <img src="/icon.svg" alt="" width="24" height="24" /> Repertoire
          </a>
          <ul>
            {VIEWS.map(({ view, title }) => (
              <li key={view}>
                <a href={`#/${view}`} aria-current={isCurrent(route.view, view) ? "page" : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
          <div class="foot">
            <button type="button" onClick={() => setOverlay("palette")}>
              Find <kbd>Ctrl K</kbd>
            </button>
            <button type="button" onClick={switchTheme}>
              Light or dark
            </button>
            <button type="button" class="keyed" onClick={() => setOverlay("keys")}>
              Keys <kbd>?</kbd>
            </button>
            {server.data && (
              <p class="quiet" title={server.data.project}>
                {lastPart(server.data.project)} · {server.data.version}
              </p>
            )}
          </div>
        </nav>
      </div>
      <main id="content" tabIndex={-1}>
        {!isThere && (
          <p class="banner" role="status">
            The server does not answer. If it was stopped, run <code>repertoire ui</code> again.
          </p>
        )}
        {server.data?.readOnly && (
          <p class="banner">Read only: you can look at everything and change nothing.</p>
        )}
        {route.view === "skill" ? (
          <Skill key={route.subject} name={route.subject} />
        ) : found ? (
          found.render(route)
        ) : (
          <Trouble error={new Error("There is no such view. The menu lists those that there are.")} />
        )}
      </main>
      <Notices />
      {overlay === "palette" && <Palette views={VIEWS} onClose={() => setOverlay(undefined)} />}
      {overlay === "keys" && <Keys onClose={() => setOverlay(undefined)} />}
    </div>
  );
}

/** For a browser that has no key, or whose server is gone. */
function Outside({ error }: { error: Error }) {
  return (
    <main class="outside">
      <h1>Repertoire</h1>
      <Trouble error={error} />
      <p>
        Run <code>repertoire ui</code> in your project and open the link that it prints. It lets this browser
        in, once.
      </p>
    </main>
  );
}

const isCurrent = (now: string, view: string) => now === view || (now === "skill" && view === "library");
const lastPart = (path: string) => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;

function toContent(): void {
  document.getElementById("content")?.focus({ preventScroll: true });
}

/** Where a view begins, the tabulator goes on: not at the menu, which a new view leaves as it was. */
function useFocusOn(place: string): void {
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current !== place) toContent();
    shown.current = place;
  }, [place]);
}

function switchTheme(): void {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}

/** The time for the second key of `g l`. */
const SECOND_KEY_MS = 1_000;

function useShortcuts(open: (overlay: "palette" | "keys") => void): void {
  useEffect(() => {
    let began = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (isForText(event)) return;
      if (event.key === "?") open("keys");
      else if (event.key === "/") {
        const search = document.querySelector<HTMLElement>("main input, main textarea");
        if (search) event.preventDefault();
        search?.focus();
      } else if (event.key === "g") began = Date.now();
      else if (Date.now() - began < SECOND_KEY_MS) {
        const found = VIEWS.find(({ key }) => key === event.key);
        if (found) go(`#/${found.view}`);
        began = 0;
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open]);
}

const kept = localStorage.getItem("theme");
if (kept !== null) document.documentElement.dataset.theme = kept;
render(<App />, document.getElementById("app")!);

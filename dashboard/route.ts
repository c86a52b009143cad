// The address of a view: `#/library?view=unused`. Filters live in it, so that a view can be kept, shared and gone back to.

import { useEffect, useState } from "preact/hooks";

export interface Route {
  /** The view's name, such as `library`. */
  readonly view: string;
  /** What follows it, decoded: a skill's name, a session. */
  readonly subject: string;
  readonly query: URLSearchParams;
}

function current(): Route {
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  return { view: view || "home", subject: decoded(rest.join("/")), query: new URLSearchParams(search) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function address(view: string, subject = "", query: Readonly<Record<string, string>> = {}): string {
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  const search = new URLSearchParams(kept).toString();
  const path = subject === "" ? view : `${view}/${encodeURIComponent(subject)}`;
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

export const skillAddress = (name: string) => address("skill", name);

export function go(to: string): void {
  location.hash = to;
}

/** Changes filters of the present view in place: going back leads to the view before. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { view, subject, query } = current();
  history.replaceState(null, "", address(view, subject, { ...Object.fromEntries(query), ...changes }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const onChange = () => setRoute(current());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}

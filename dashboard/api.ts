// Talks to the HTTP API of the server that this page comes from. The cookie of the one-time link goes with every request.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** A refusal as the API words it: what happened, and what to do next. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number;
  constructor(status: number, error: { readonly code?: string; readonly message?: string }) {
    super(error.message ?? `The server answered ${status}.`);
    this.code = error.code ?? "unexpected";
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiFailure(0, {
      code: "server-gone",
      message: "The server does not answer. Run `repertoire ui` again and open its link.",
    });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiFailure(response.status, answer.error ?? {});
  return answer as T;
}

export function get<T>(path: string, query: Query = {}): Promise<T> {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return request("GET", `/api${path}${search.size > 0 ? `?${search}` : ""}`);
}

export const post = <T>(path: string, body: unknown = {}) => request<T>("POST", `/api${path}`, body);
export const put = <T>(path: string, body: unknown) => request<T>("PUT", `/api${path}`, body);
export const remove = <T>(path: string) => request<T>("DELETE", `/api${path}`);

export const skillPath = (name: string) => `/skills/${encodeURIComponent(name)}`;

/** What a request has come to. The data of the one before stays while the next is under way. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly reload: () => void;
}

/** Loads when `key` changes, on `reload`, and when the server tells of one of the events. */
export function useLoad<T>(key: string, load: () => Promise<T>, events: readonly string[] = []): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key });
  const [round, setRound] = useState(0);
  const current = useRef(load);
  current.current = load;
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    let isWanted = true;
    current.current().then(
      (data) => isWanted && setState({ key, data }),
      (error: Error) => isWanted && setState({ key, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [key, round]);
  useEvents(events, reload);
  const isOwn = state.key === key;
  return { data: isOwn ? state.data : undefined, error: isOwn ? state.error : undefined, reload };
}

type Listener = (type: string) => void;
const listeners = new Set<Listener>();
const TYPES = ["library", "index", "journal", "proposal", "job", "reset"];
/** Events come in bunches; one look at what is new is enough for each. */
const BUNCH_MS = 250;

/** What the page with the event stream passes on to the others. */
type News = { readonly type: string } | { readonly isThere: boolean };

/**
 * Hears the events of the server, and tells whether it is there. One page of all has the stream and passes on what comes: a browser
 * opens only six connections to a server, and each page of its own would hold one.
 */
export function listen(onState: (isThere: boolean) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const others = new BroadcastChannel("events");
  const hear = (news: News) => {
    if ("isThere" in news) onState(news.isThere);
    else for (const listener of listeners) listener(news.type);
  };
  others.onmessage = ({ data }) => hear(data as News);
  const toAll = (news: News) => {
    hear(news);
    others.postMessage(news);
  };
  const stream = (isFirst: boolean) =>
    new Promise<void>((release) => {
      const source = new EventSource("/api/events");
      source.onopen = () => {
        toAll({ isThere: true });
        // Something may have happened since the page that had the stream was closed.
        if (!isFirst) toAll({ type: "reset" });
      };
      source.onerror = () => toAll({ isThere: false });
      for (const type of TYPES) source.addEventListener(type, () => toAll({ type }));
      signal.addEventListener("abort", () => {
        source.close();
        release();
      });
    });
  const { locks } = navigator;
  void locks.request("events", { ifAvailable: true }, async (lock) => {
    if (lock) await stream(true);
    else void locks.request("events", { signal }, () => stream(false)).catch(unlessAborted);
  });
  return () => {
    stop.abort();
    others.close();
  };
}

function unlessAborted(error: Error): void {
  if (error.name !== "AbortError") throw error;
}

function useEvents(types: readonly string[], onEvent: () => void): void {
  const wanted = types.join(" ");
  useEffect(() => {
    if (wanted === "") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener: Listener = (type) => {
      if (type !== "reset" && !wanted.split(" ").includes(type)) return;
      clearTimeout(timer);
      timer = setTimeout(onEvent, BUNCH_MS);
    };
    listeners.add(listener);
    return () => {
      clearTimeout(timer);
      listeners.delete(listener);
    };
  }, [wanted, onEvent]);
}

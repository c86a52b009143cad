// Small parts that several views share: page head, states, bars, times, messages to the person.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Verdict } from "./answers.ts";
import { ApiFailure, type Loaded } from "./api.ts";
import { skillAddress } from "./route.ts";

export function Page({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Repertoire`;
  }, [title]);
  return (
    <>
      <header class="head">
        <div>
          <h1>{title}</h1>
          {about !== undefined && <p class="quiet">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Card({
  title,
  children,
  id,
}: {
  title: ComponentChildren;
  children: ComponentChildren;
  id?: string;
}) {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Shows what was loaded; until then that it is loading, or what went wrong and what to do. */
export function Shown<T>({
  loaded,
  children,
}: {
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  if (loaded.error) return <Trouble error={loaded.error} onRetry={loaded.reload} />;
  if (loaded.data === undefined)
    return (
      <p class="quiet" role="status">
        Loading …
      </p>
    );
  return <>{children(loaded.data)}</>;
}

export function Trouble({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>{error.message}</p>
      {error instanceof ApiFailure && <p class="quiet">Code: {error.code}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function SkillLink({ name }: { name: string }) {
  return (
    <a href={skillAddress(name)} class="name">
      {plain(name)}
    </a>
  );
}

export function Tag({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`tag ${kind}`}>{children}</span>;
}

export function VerdictTag({ verdict }: { verdict: Verdict | undefined }) {
  return verdict === undefined || verdict === "clean" ? null : <Tag kind={verdict}>{verdict}</Tag>;
}

/** A share from 0 to 1, as a bar with an optional mark. */
export function Bar({
  parts,
  mark,
  label,
}: {
  parts: readonly { readonly kind: string; readonly value: number; readonly note?: string }[];
  mark?: number;
  label: string;
}) {
  const width = (value: number) => `${Math.max(0, Math.min(1, value)) * 100}%`;
  return (
    <div class="bar" role="img" aria-label={label}>
      {parts.map(({ kind, value, note }, at) => (
        <span key={`${kind}${at}`} class={`part ${kind}`} style={{ width: width(value) }} title={note} />
      ))}
      {mark !== undefined && <i style={{ left: width(mark) }} />}
    </div>
  );
}

/** Characters that turn the direction of text or hide are shown by their number: a name must not look like another. */
export function plain(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `⟦U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function Ago({ at }: { at: number | undefined }) {
  if (!at) return <span class="quiet">never</span>;
  const distance = at - Date.now();
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(distance) >= size) ?? ["minute", 60_000];
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relative.format(Math.round(distance / ms), unit)}
    </time>
  );
}

export const percent = (share: number) => `${Math.round(share * 100)}%`;
export const count = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** The range in which a share most likely lies, by Wilson, 95%. */
export function interval(hits: number, all: number): readonly [number, number] {
  if (all === 0) return [0, 1];
  const z = 1.96;
  const share = hits / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const under = 1 + (z * z) / all;
  return [Math.max(0, (middle - spread) / under), Math.min(1, (middle + spread) / under)];
}

interface Notice {
  readonly text: string;
  readonly isBad?: boolean;
  readonly undo?: (() => void) | undefined;
}

let show: (notice: Notice) => void = () => {};
/** Long enough to read it and to undo. */
const NOTICE_MS = 20_000;

/** Whether a key is typed into a field or a dialog, or belongs to the browser. */
export const isForText = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.closest("input, textarea, select, dialog") !== null);

export function tell(text: string, undo?: () => void): void {
  show({ text, undo });
}

/** Does what a button says; a failure is told, with its next step. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    show({ text: error instanceof Error ? error.message : String(error), isBad: true });
  }
}

export function Notices() {
  const [notice, setNotice] = useState<Notice>();
  show = setNotice;
  useEffect(() => {
    if (!notice || notice.isBad) return;
    const timer = setTimeout(() => setNotice(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  useEffect(() => {
    const undo = notice?.undo;
    if (!undo) return;
    // Before the keys of the view: what was just done is undone first.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "u" || isForText(event)) return;
      event.stopPropagation();
      setNotice(undefined);
      undo();
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [notice]);
  return (
    <div class="notices" aria-live="polite">
      {notice && (
        <div class={notice.isBad ? "toast bad" : "toast"}>
          <span>{notice.text}</span>
          {notice.undo && (
            <button
              type="button"
              onClick={() => {
                setNotice(undefined);
                notice.undo?.();
              }}
            >
              Undo <kbd>u</kbd>
            </button>
          )}
          <button type="button" class="bare" aria-label="Dismiss" onClick={() => setNotice(undefined)}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}

// Edits a skill. While somebody types, the page says whether it could be saved, and which stored messages would lead elsewhere.

import { useEffect, useState } from "preact/hooks";
import type { WhatIf } from "../answers.ts";
import { post, put, skillPath, useLoad } from "../api.ts";
import { attempt, count, Empty, plain, Shown, Tag, tell } from "../pieces.tsx";

interface EditorOptions {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** Only skills that are kept with versions can be saved from here. */
  readonly canSave: boolean;
  readonly onDone: (isSaved: boolean) => void;
}

/** A pause in typing after which it is tried out. */
const PAUSE_MS = 350;

export function Editor({ name, description, body, canSave, onDone }: EditorOptions) {
  const [draft, setDraft] = useState({ description, body });
  const tried = usePaused(draft);
  const isChanged = draft.description !== description || draft.body !== body;
  const whatIf = useLoad(`${name} ${JSON.stringify(tried)}`, async () =>
    tried.description === description && tried.body === body
      ? undefined
      : post<WhatIf>(`${skillPath(name)}/what-if`, {
          ...(tried.description !== description && { description: tried.description }),
          ...(tried.body !== body && { content: tried.body }),
        }),
  );
  const refusal = whatIf.data?.refusal;
  const save = () =>
    attempt(async () => {
      await put(skillPath(name), {
        content: draft.body,
        description: draft.description,
        reason: "edited in the dashboard",
      });
      onDone(true);
      tell(`${name} was saved as a new version.`, () => attempt(() => post("/undo", { target: name })));
    });
  return (
    <>
      <label for="description">Description: what it does, and when to use it</label>
      <textarea
        id="description"
        rows={3}
        value={draft.description}
        aria-invalid={refusal !== undefined}
        onInput={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
      />
      <p class="quiet">{count(draft.description.length, "character")} of at most 1,024</p>
      {isChanged && <Shown loaded={whatIf}>{(data) => data && <Effect effect={data} name={name} />}</Shown>}
      {canSave && (
        <>
          <label for="draft">Instructions</label>
          <textarea
            id="draft"
            rows={12}
            value={draft.body}
            onInput={({ currentTarget }) => setDraft({ ...draft, body: currentTarget.value })}
          />
        </>
      )}
      <div class="tools">
        {canSave && (
          <button
            type="button"
            class="main"
            disabled={!isChanged || draft.body.trim() === "" || refusal !== undefined}
            onClick={save}
          >
            Save a new version
          </button>
        )}
        <button type="button" onClick={() => onDone(false)}>
          {canSave ? "Cancel" : "Close"}
        </button>
        {!canSave && <span class="quiet">Nothing is changed: the file belongs to its source.</span>}
      </div>
    </>
  );
}

function usePaused<T>(value: T): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}

function Effect({ effect: { refusal, tried, moved }, name }: { effect: WhatIf; name: string }) {
  if (refusal)
    return (
      <div class="trouble" role="alert">
        <p>{plain(refusal.message)}</p>
      </div>
    );
  if (tried === 0) return <Empty>It can be saved. No message is stored yet that could move.</Empty>;
  const gained = moved.filter(({ before, after }) => !before.includes(name) && after.includes(name)).length;
  const lost = moved.filter(({ before, after }) => before.includes(name) && !after.includes(name)).length;
  return (
    <section class="effect" aria-label="What would change" aria-live="polite">
      <p>
        Of {count(tried, "stored message")}, {moved.length === 0 ? "none" : moved.length} would move
        {moved.length > 0 && `: ${gained} would find it, ${lost} would lose it`}.
      </p>
      {moved.length > 0 && (
        <table class="plain">
          <thead>
            <tr>
              <th>Message</th>
              <th>Before</th>
              <th>After</th>
            </tr>
          </thead>
          <tbody>
            {moved.slice(0, 20).map(({ message, before, after }) => (
              <tr key={message}>
                <td>{plain(message)}</td>
                <td>
                  <Names names={before} own={name} kind="failure" isMarked={!after.includes(name)} />
                </td>
                <td>
                  <Names names={after} own={name} kind="success" isMarked={!before.includes(name)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface NamesOptions {
  readonly names: readonly string[];
  readonly own: string;
  readonly kind: string;
  /** Whether the skill itself is only on this side. */
  readonly isMarked: boolean;
}

function Names({ names, own, kind, isMarked }: NamesOptions) {
  if (names.length === 0) return <span class="quiet">nothing</span>;
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          {name === own && isMarked ? <Tag kind={kind}>{plain(name)}</Tag> : plain(name)}
        </span>
      ))}
    </>
  );
}

// Ctrl+K: leads to a view or a skill by a few letters. And the sheet of all keys.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedSkill } from "./answers.ts";
import { get, useLoad } from "./api.ts";
import { plain } from "./pieces.tsx";
import { address, go, skillAddress } from "./route.ts";

interface PaletteOptions {
  readonly views: readonly { readonly view: string; readonly title: string }[];
  readonly onClose: () => void;
}

const MOST = 12;

function Dialog({
  label,
  onClose,
  children,
}: {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={label} onClose={onClose}>
      {children}
    </dialog>
  );
}

export function Palette({ views, onClose }: PaletteOptions) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { data } = useLoad("palette", () => get<{ skills: readonly ListedSkill[] }>("/skills"));
  const places = [
    ...views.map(({ view, title }) => ({ title, kind: "view", to: `#/${view}` })),
    ...(data?.skills ?? []).map(({ name }) => ({ title: name, kind: "skill", to: skillAddress(name) })),
  ];
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = places.filter(({ title }) => wanted.every((part) => title.toLowerCase().includes(part)));
  const found = [
    ...fitting.slice(0, MOST),
    ...(text === ""
      ? []
      : [
          {
            title: `Try “${text}” in the playground`,
            kind: "message",
            to: address("playground", "", { m: text }),
          },
        ]),
  ];
  const chosen = Math.min(at, found.length - 1);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + found.length) % found.length);
    } else if (event.key === "Enter" && found[chosen]) {
      event.preventDefault();
      go(found[chosen].to);
      onClose();
    }
  };
  return (
    <Dialog label="Find" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={`found-${chosen}`}
        aria-label="View, skill or message"
        placeholder="View, skill or message"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="found" role="listbox" aria-label="Found" class="found">
        {found.map(({ title, kind, to }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the search field above
          <div
            key={to}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => {
              go(to);
              onClose();
            }}
          >
            <span>{plain(title)}</span> <span class="quiet">{kind}</span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl K", "find a view or a skill, or try a message"],
  ["/", "to the search field of the view"],
  ["g h, g l, g p, g e", "Home, Library, Playground, Evaluation"],
  ["g s, g d, g r, g o", "Sessions, Dreams, Relations, Health (doctor)"],
  ["j, k", "next and previous proposal"],
  ["a, x", "accept and reject a proposal"],
  ["u", "undo what was just done, or an accepted proposal"],
  ["?", "this sheet"],
  ["Esc", "close"],
];

export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="facts">
        {KEYS.map(([keys, what]) => (
          <>
            <dt key={keys}>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

import { describe, expect, it, onTestFinished } from "vitest";
import { EventHub } from "./events.ts";
import { HTTP_LIMITS } from "./limits.ts";

function hubOf(limits: Partial<typeof HTTP_LIMITS | Record<string, number>> = {}) {
  const hub = new EventHub({ ...HTTP_LIMITS, ...limits });
  onTestFinished(() => hub.close());
  return hub;
}

/** Everything that a reader has got when the hub closes. */
async function readOut(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  return new Response(stream).text();
}

const hangUp = () => {};
const idsIn = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!);
const namesIn = (text: string) => [...text.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name!);

describe("the event stream", () => {
  it("sends each event to every reader, with increasing ids", async () => {
    const hub = hubOf();
    const both = [hub.subscribe({ hangUp }), hub.subscribe({ hangUp })].map(readOut);
    hub.publish("library", { added: ["a\nb"] });
    hub.publish("index", { skills: 1 });
    hub.close();
    for (const text of await Promise.all(both)) {
      expect(namesIn(text)).toEqual(["hello", "library", "index"]);
      expect(text).toContain('data: {"added":["a\\nb"]}\n\n');
    }
  });

  it("sends a returning reader the events after its last id", async () => {
    const hub = hubOf();
    const first = readOut(hub.subscribe({ hangUp }));
    for (const name of ["a", "b", "c"]) hub.publish(name, {});
    const again = hub.subscribe({ lastSeen: `${(hub as unknown as { run: string }).run}-2`, hangUp });
    const second = readOut(again);
    hub.publish("d", {});
    hub.close();
    expect(idsIn(await first)).toHaveLength(5);
    expect(namesIn(await second)).toEqual(["c", "d"]);
  });

  it.each(["other-1", "nonsense", "-", "RUN-0", "RUN-99"])(
    "says that events were missed when it cannot resume from %s",
    async (template) => {
      const hub = hubOf({ keptEvents: 2 });
      for (const name of ["a", "b", "c", "d"]) hub.publish(name, {});
      const { run } = hub as unknown as { run: string };
      const text = readOut(hub.subscribe({ lastSeen: template.replace("RUN", run), hangUp }));
      hub.close();
      expect(namesIn(await text)).toEqual(["reset"]);
    },
  );

  it("drops a reader that does not read instead of keeping everything for it", async () => {
    const hub = hubOf({ streamBytes: 2_000 });
    let hungUp = 0;
    const slow = hub.subscribe({ hangUp: () => hungUp++ })!;
    const quick = readOut(hub.subscribe({ hangUp }));
    for (let at = 0; at < 100; at++) {
      hub.publish("big", { text: "x".repeat(100) });
      await new Promise((settle) => setImmediate(settle));
    }
    expect(hub.counts).toEqual({ published: 100, dropped: 1 });
    expect(hub.open).toBe(1);
    expect(hungUp).toBe(1);
    await slow.cancel();
    hub.close();
    expect(namesIn(await quick)).toHaveLength(101);
  });

  it("accepts readers up to its limit, and another one after a reader has left", async () => {
    const hub = hubOf({ streams: 1 });
    const only = hub.subscribe({ hangUp });
    expect(hub.subscribe({ hangUp })).toBeUndefined();
    await only?.cancel();
    expect(hub.subscribe({ hangUp })).toBeDefined();
  });
});

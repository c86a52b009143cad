import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { createLocalEmbedder } from "../embedders/embedders.ts";
import { createTopics, TOPIC_LENGTH } from "./topics.ts";

const unitIn = (axis: number) =>
  Array.from({ length: 4 }, (_, i) => (i === axis ? Math.round(TOPIC_LENGTH / 2) : 0));
const TOPICS = Uint8Array.from([...unitIn(0), ...unitIn(1)]);

describe("topics", () => {
  test("give the cosine of a message with the closest one, which is 0 for a message about nothing of the kind", () => {
    const topics = createTopics(() => TOPICS);
    expect(topics([0.6, 0.8, 0, 0])).toBeCloseTo(0.4, 2);
    expect(topics([0, 0, 1, 0])).toBe(0);
    expect(topics([-1, 0, 0, 0])).toBe(0);
  });

  test("are read once, on first use", () => {
    const read = vi.fn(() => TOPICS);
    const topics = createTopics(read);
    expect(read).not.toHaveBeenCalled();
    topics([1, 0, 0, 0]);
    topics([0, 1, 0, 0]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  test("say nothing if they are missing or of another table", () => {
    expect(createTopics(() => new Uint8Array())([1, 0, 0, 0])).toBeUndefined();
    expect(createTopics(() => TOPICS)([1, 0, 0])).toBeUndefined();
  });

  test("of the package are of its table: work is closer to one than small talk", () => {
    const { embedOne } = createLocalEmbedder({ tablePath: "data/embedding/table.bin" });
    const topics = createTopics(() => readFileSync("data/intent/topics.bin"));
    const work = topics(embedOne("deploy the service to our Kubernetes cluster"))!;
    expect(work).toBeGreaterThan(0.3);
    expect(work).toBeLessThanOrEqual(1.01);
    expect(topics(embedOne("honestly I am proud of myself"))!).toBeLessThan(work);
  });
});

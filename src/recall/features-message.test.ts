import { describe, expect, test } from "vitest";
import { MESSAGE, readMessage } from "./features-message.ts";

/** What a term counts beside its place in the message. */
const factorOf = (message: string, term: string) => {
  const { terms, factors } = readMessage(message);
  const at = terms.indexOf(term);
  return factors[at]! / (1 - (MESSAGE.trailing * at) / terms.length);
};

describe("readMessage", () => {
  test("counts a running number for little, with and without its word", () => {
    expect(factorOf("check the parser against ADR-0024", "0024")).toBeCloseTo(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr0024")).toBeCloseTo(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr")).toBeCloseTo(1);
  });

  test("counts what is said first for more: what is to be done, before with what", () => {
    const { factors } = readMessage("document the rationale for picking Go over Rust");
    expect(factors[0]).toBe(1);
    expect([...factors].sort((a, b) => b - a)).toEqual(factors);
    expect(factors.at(-1)).toBeGreaterThan(1 - MESSAGE.trailing);
  });

  test("leaves standards, ports and years alone", () => {
    expect(factorOf("prepare the ISO 27001 audit", "27001")).toBeCloseTo(1);
    expect(factorOf("what listens on port 8080", "8080")).toBeCloseTo(1);
  });
});

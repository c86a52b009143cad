import { describe, expect, test } from "vitest";
import { MESSAGE, readMessage } from "./features-message.ts";

const factorOf = (message: string, term: string) => {
  const { terms, factors } = readMessage(message);
  return factors[terms.indexOf(term)];
};

describe("readMessage", () => {
  test("counts a running number for little, with and without its word", () => {
    expect(factorOf("check the parser against ADR-0024", "0024")).toBe(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr0024")).toBe(MESSAGE.numbered);
    expect(factorOf("check the parser against ADR-0024", "adr")).toBe(1);
  });

  test("leaves standards, ports and years alone", () => {
    expect(factorOf("prepare the ISO 27001 audit", "27001")).toBe(1);
    expect(factorOf("what listens on port 8080", "8080")).toBe(1);
  });
});

import { describe, expect, it } from "vitest";
import { RepertoireError } from "../../model/errors.ts";
import { ApiError, bodyFor, ERROR_STATUS, statusFor } from "./errors.ts";

describe("the statuses of failures", () => {
  it("list each code once", () => {
    const codes = Object.values(ERROR_STATUS).flat();
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("are 400 for any other error code, and 500 for an unexpected error", () => {
    expect(statusFor(new RepertoireError("name-empty", "x"))).toBe(400);
    expect(statusFor(new RepertoireError("skill-not-found", "x"))).toBe(404);
    expect(statusFor(new TypeError("x"))).toBe(500);
  });

  it("come with the code, the message and the value, without internal details", () => {
    const notes: string[] = [];
    const note = (text: string) => notes.push(text);
    const more = { sheet: { name: "a" } };
    expect(bodyFor(new ApiError("consent-required", "Ask.", { value: "a", more }), note)).toEqual({
      error: { code: "consent-required", message: "Ask.", value: "a" },
      sheet: { name: "a" },
    });
    expect(JSON.stringify(bodyFor(new Error("secret"), note))).not.toContain("secret");
    expect(notes).toEqual(["secret"]);
  });
});

import { describe, expect, it } from "vitest";
import { Browsers } from "./page.ts";

const codeOf = (link: string) => link.replace("/open/", "");

describe("a link", () => {
  it("lets a browser in once", () => {
    const browsers = new Browsers();
    const code = codeOf(browsers.link());
    expect(browsers.letIn(code)).toBeTypeOf("string");
    expect(browsers.letIn(code)).toBeUndefined();
  });

  it("ends after ten minutes, and cannot be made up", () => {
    const clock = { at: 0 };
    const browsers = new Browsers(() => clock.at);
    const [early, late] = [codeOf(browsers.link()), codeOf(browsers.link())];
    clock.at = 10 * 60_000;
    expect(browsers.letIn(early)).toBeTypeOf("string");
    clock.at++;
    expect(browsers.letIn(late)).toBeUndefined();
    expect(browsers.letIn("made-up")).toBeUndefined();
  });
});

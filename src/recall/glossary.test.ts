import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Glossary, latinLanguage } from "./glossary.ts";

const shipped = new Glossary(join(import.meta.dirname, "../../data/glossary"));
const folder = mkdtempSync(join(tmpdir(), "glossary-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the language of a message", () => {
  test.each([
    ["Bitte erstelle eine Rechnung für den Kunden", "de"],
    ["necesito una factura para el cliente", "es"],
    ["il faut une facture pour le client", "fr"],
    ["preciso de uma fatura para o cliente", "pt"],
    ["vorrei una fattura per il cliente", "it"],
  ])("%s is %s", (message, language) => {
    expect(latinLanguage(message)).toBe(language);
  });

  test.each([
    "please write an invoice for the client",
    "die hard is on tonight",
    "run npm test",
    "",
    "deploy to es-east-1 with the la metric",
  ])("%j is left as it is", (message) => {
    expect(shipped.toEnglish(message)).toEqual({ text: message });
  });
});

describe("a message in another language", () => {
  test.each([
    ["Bitte erstelle eine Rechnung für Müller", ["invoice", "Müller"]],
    ["Wie räume ich die Kundendatenbank auf?", ["customer", "database"]],
    ["necesito traducir este contrato", ["translate", "contract"]],
    ["переведи этот договор", ["translate", "contract"]],
    ["把这份合同翻译成英文", ["contract", "translat"]],
    ["この契約書を翻訳して", ["contract", "translat"]],
    ["이 계약서를 번역해줘", ["contract", "translat"]],
    ["Kubernetes-Pods starten ständig neu, bitte prüfen", ["Kubernetes", "Pods"]],
  ])("%s keeps names and gains English words", (message, expected) => {
    const { text, original } = shipped.toEnglish(message);
    for (const word of expected) expect(text).toContain(word);
    expect(original).toBe(message);
  });

  test("drops function words and prefers phrases to their words", () => {
    writeFileSync(join(folder, "de.tsv"), "rote karte\tpenalty\nrote\tred\nkarte\tmap\n");
    writeFileSync(join(folder, "stop-de.txt"), "und\nmir\n");
    const { text } = new Glossary(folder).toEnglish("zeig mir die rote Karte und die Karten");
    expect(text).toContain("penalty");
    expect(text).toContain("map");
    expect(text).not.toMatch(/\b(?:und|mir|red)\b/);
  });

  test("stays as it is if there is no glossary", () => {
    const none = new Glossary(join(folder, "none"));
    const message = "bitte schreib mir eine Rechnung";
    expect(none.toEnglish(message).text).toBe(message);
  });

  test("of any form is answered, also if a glossary has broken lines", () => {
    const broken = join(folder, "broken");
    mkdirSync(broken);
    writeFileSync(join(broken, "zh.tsv"), "没有制表符\n\t\n合同\tcontract\n");
    writeFileSync(join(broken, "stop-zh.txt"), "");
    const glossary = new Glossary(broken);
    expect(glossary.toEnglish("合同\ud800\u0000合同").text).toContain("contract");
    expect(glossary.toEnglish("文".repeat(50_000)).text.trim()).toBe("");
  });
});

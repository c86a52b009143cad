// Knows tasks that tell skills for the same thing apart: who wants a barcode decoded has no use for a skill that makes barcodes.

import { lazyPattern } from "../text/patterns.ts";
import { tokenize } from "../text/tokens.ts";
import { LEAD } from "./lead.ts";

/**
 * A line for each task: the verbs with which a message asks for it, and after the colon what else the name or description of a
 * skill that does it may say. Verbs that fit most skills ("create", "fix", "check") are left out.
 */
const TASKS = `
convert, transform, transpile: conversion, converter, turn, export, import, save, port, migrate, migration, translate, render, transcode, format, formats, generate, create, make, encode, parse, process, processing
translate, localize, localise: translation, translator, localization, localisation, i18n, internationalization, multilingual, locale, language, languages, convert
transcribe: transcript, transcription, subtitle, caption, speech-to-text, stt, whisper, dictation, recognition, notes
decode, decrypt: decoder, parse, parser, read, reader, scan, scanner, extract, recognize, recognise, decryption, deobfuscate, inspect, reverse
summarize, summarise: summary, summaries, digest, condense, recap, distill, overview, notes, brief, briefing, tl;dr
download: downloader, fetch, pull, save, retrieve, scrape, crawl, grab, export, search, access, transfer
upload: uploader, publish, push, deploy, submit, share, send, sync, import, post, storage, transfer, manage, crud
uninstall: remove, removal, delete, clean, cleanup, manage, management, package
delete, erase, purge: deletion, remove, clean, cleanup, clear, drop, prune, manage, management, crud, organize, edit, modify
upgrade, bump: upgrading, update, migrate, migration, modernize, version, versions, maintain, maintenance
migrate: migration, migrating, move, port, switch, convert, conversion, upgrade, transition, replace, modernize, import, transfer
merge, concatenate: merging, combine, join, consolidate, unify, concat, lifecycle, workflow, manage, edit
split: splitting, splitter, separate, cut, chunk, divide, partition, decompose, extract, edit, break, refactor, manipulation
compress: compression, shrink, optimize, optimise, optimization, reduce, minify, resize, convert, quantize, processing
crop, resize: resizing, trim, cut, edit, editing, manipulation, processing, transform
trim: cut, crop, clip, edit, editing, processing, shorten
upscale: enlarge, resize, super-resolution, enhance, enhancement
encrypt: encryption, crypto, cryptography, cryptographic, secure, protect, security
restore: recovery, recover, backup, rollback, undo, snapshot
undo, revert: rollback, reset, restore, history, recover
record: recorder, recording, capture, log, track, save
play: playback, player, stream, playlist, music, game
buy: purchase, shop, shopping, price, procurement, order, deal
dump: backup, export, capture, collect, extract
ban, mute: moderation, moderate, block, kick, manage, admin
benchmark: benchmarking, measure, profile, performance, evaluate, evaluation, compare
unsubscribe: subscription, newsletter, inbox, mail, email
clone: cloning, fork, checkout, repository, copy, manage
print: printer, printing
unzip, extract: extraction, extractor, parse, read, scrape, ocr, mine, convert, unpack, decompress, recover, analyze, analyse, query, identify, capture, summarize, collect, export, generate, retrieve
`;

/** Words after which a verb asks for its task: "please convert", "I want to convert", "open it and convert". */
const BEFORE =
  "to|please|pls|can|could|you|and|then|i|we|me|us|help|must|should|will|would|let's|lets|now|just|also|quickly|automatically|or";

/** The terms of all words of a task, by the verbs that ask for it. */
let tasks: ReadonlyMap<string, readonly string[]> | undefined;

function readTasks(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of TASKS.trim().split("\n")) {
    const [verbs, others] = line.split(": ").map((words) => words.split(", ")) as [string[], string[]];
    const terms = [...new Set([...verbs, ...others].flatMap(termsOf))];
    for (const verb of verbs) found.set(verb, terms).set(gerundKey(verb), terms);
  }
  return found;
}

/** The term of a word, the whole of a joined one; none for a word that says nothing. */
const termsOf = (word: string) => tokenize(word).slice(0, 1);
/** "transcribe" and "transcribing" have one term; so has "transcriber", which asks for nothing. */
const gerundKey = (verb: string) => `${termsOf(verb).join("")} ing`;

const asking = lazyPattern(`(?<=^|[.,;:!?\\n(]\\s*|\\b(?:${BEFORE})\\s)[a-z]{3,16}\\b(?!,)`, "g");

/** The tasks that a text asks for: each as the terms of which a skill for it has at least one. A pasted text tells of many. */
export function tasksIn(text: string): (readonly string[])[] {
  if (text.length >= LEAD.from) return [];
  tasks ??= readTasks();
  const found = new Set<readonly string[]>();
  for (const [word] of text.toLowerCase().matchAll(asking())) {
    const task = tasks.get(word.endsWith("ing") ? gerundKey(word) : word);
    if (task) found.add(task);
  }
  return [...found];
}

// The answers of the API that the pages show, as its schemas promise them.

import type { Answers } from "../src/adapters/http/api/operations.ts";

type Each<List> = List extends readonly (infer Item)[] ? Item : never;

export type Server = Answers["describeServer"];
export type Listed = Answers["listSkills"];
export type ListedSkill = Each<Listed["skills"]>;
export type Verdict = NonNullable<ListedSkill["verdict"]>;
export type Source = Each<Answers["listSources"]["sources"]>;
export type Stats = Answers["libraryStats"];
export type Funnel = Each<Stats["skills"]>;

export type SkillDetails = Answers["showSkill"];
export type SkillStats = Answers["skillStats"];
export type SkillRecalls = Answers["listRecalls"];
export type History = Answers["showHistory"];
export type Version = Each<History["versions"]>;
export type Sheet = Answers["lookAtSkill"];
export type Trusted = Answers["listTrusted"];
export type WhatIf = Answers["whatIf"];

export type Recall = Answers["recall"];
export type Match = Each<Recall["matches"]>;
export type Reason = Each<Match["reasons"]>;
export type Why = Answers["why"];
export type Prompt = Answers["prompt"];

export type Sessions = Answers["listSessions"];
export type Conversation = Answers["showConversation"];
export type Events = Answers["listEvents"];
export type JournalEvent = Each<Events["events"]>;
export type Said = Each<Conversation["said"]>;
export type Turns = Answers["listTurnsToReview"];
export type BadTurn = Each<Turns["turns"]>;

export type Proposals = Answers["listProposals"];
export type ProposalRecord = Each<Proposals["proposals"]>;
export type Accepted = Answers["acceptProposals"];
export type Evidence = Answers["dreamReport"];
export type Job = Answers["showJob"];
export type DreamResult = Answers["dream"];

export type Hosts = Answers["listHosts"];
export type Host = Each<Hosts["hosts"]>;
export type Doctor = Answers["doctor"];
export type Check = Each<Doctor["checks"]>;
export type Mended = Answers["mendState"];
export type Tidied = Answers["tidy"];

export type Packages = Answers["verifyPackages"];
export type Updates = Answers["updatePackages"];
export type Offer = Each<Updates["offers"]>;

export type Cases = Answers["listCases"];
export type EvalRuns = Answers["listRuns"];
export type EvalRun = Each<EvalRuns["runs"]>;
export type EvalFailure = Each<NonNullable<EvalRun["failures"]>>;
export type Correction = Answers["correctRecall"];
export type Switched = Answers["switchSkills"];

// Which operations an agent of a fleet may ask for, by the role of its token. What is not listed is about the machine that
// serves, and only for its own token. The database checks the role again for all that is kept there.

import { roleIncludes, TOKEN_ROLES, type TokenRole } from "../../../engine/engine.ts";
import { ApiError } from "../errors.ts";
import type { OPERATIONS } from "./operations.ts";

type OperationId = (typeof OPERATIONS)[number]["id"];

const ALLOWED: Readonly<Record<TokenRole, readonly OperationId[]>> = {
  reader: [
    "recall",
    "why",
    "prompt",
    "expandCommand",
    "listCommands",
    "searchSkills",
    "listSkills",
    "showSkill",
    "showHistory",
    "listArchived",
    "lookAtSkill",
    "activateSkill",
    "readSkillFile",
    "listSkillTools",
    "endTask",
    "showSession",
    "skillStats",
    "libraryStats",
    "listProposals",
    "showProposal",
    "dreamStatus",
    "showJob",
  ],
  writer: [
    "saveSkill",
    "restoreSkill",
    "reportOutcome",
    "correctRecall",
    "rateSession",
    "runScript",
    "callSkillTool",
    "listCases",
  ],
  curator: [
    "deleteSkill",
    "renameSkill",
    "pinSkill",
    "unpinSkill",
    "undo",
    "redo",
    "dream",
    "dreamReport",
    "dreamQuestions",
    "submitDream",
    "acceptProposals",
    "rejectProposal",
    "undoProposal",
    "whatIf",
    "listTrusted",
    "trustSkill",
    "revokeTrust",
    "forgetMessages",
    "listTurnsToReview",
    "listRecalls",
    "listSessions",
    "showConversation",
    "listMissed",
    "listEvents",
    "evaluate",
    "listRuns",
  ],
  owner: ["forgetAllMessages", "exportJournal", "importJournal"],
};

const LEAST = new Map<string, TokenRole>(
  TOKEN_ROLES.flatMap((role) => ALLOWED[role].map((id) => [id, role] as const)),
);

/** Parts of a request that are about the machine that serves: other folders and settings, its project, and what a script reaches. */
const OF_THE_MACHINE: readonly string[] = ["elsewhere", "project", "network", "read", "write"];

/** Fails for an operation that the role does not include. */
export function requireRole(role: TokenRole, id: string): void {
  const least = LEAST.get(id);
  if (least === undefined) throw ofTheMachine(id);
  if (roleIncludes(role, least)) return;
  const why = `${id} needs the role ${least}, and the token's is ${role}.`;
  throw new ApiError(
    "role-insufficient",
    `${why} Ask an owner for one: repertoire token create --role ${least}.`,
    { value: id },
  );
}

/** Fails for a request with a part that is about the machine. */
export function refuseMachine(given: object): void {
  const part = OF_THE_MACHINE.find((key) => key in given);
  if (part !== undefined) throw ofTheMachine(part);
}

function ofTheMachine(value: string): ApiError {
  const why = `${value} is about the machine that serves, and only its own token may ask for it.`;
  return new ApiError("role-insufficient", why, { value });
}

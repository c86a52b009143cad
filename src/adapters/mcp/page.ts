// Reads the cursor of a long list: a number from an earlier answer; any other is refused, as the protocol requires.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

export function pageStart(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "This cursor is unknown. List again without one, and send the nextCursor of each answer.",
  );
}

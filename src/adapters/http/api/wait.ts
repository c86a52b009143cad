// The query parameter of a request that waits for its job.

import * as z from "zod";
import { HTTP_LIMITS } from "../limits.ts";

export const waitQuery = z.strictObject({
  wait: z.coerce
    .number()
    .min(0)
    .max(HTTP_LIMITS.waitSeconds)
    .default(0)
    .describe("Seconds to wait for the result; 202 with the job when it takes longer."),
});

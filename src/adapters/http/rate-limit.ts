// Limits the requests of each caller with a token bucket.

interface Rate {
  /** How many at once. */
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export class RateLimit {
  private readonly rate: Rate;
  private readonly callers: number;
  private readonly now: () => number;
  /** In the order of the last request, so that the first one is the longest silent. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(rate: Rate, options: { readonly callers: number; readonly now?: () => number }) {
    this.rate = rate;
    this.callers = options.callers;
    this.now = options.now ?? (() => performance.now());
  }

  /** 0 if the caller may continue, else the whole seconds until it may. */
  secondsToWait(caller: string): number {
    const { burst, perSecond } = this.rate;
    const now = this.now();
    const before = this.buckets.get(caller) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, before.tokens + ((now - before.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    this.buckets.delete(caller);
    this.buckets.set(caller, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    if (this.buckets.size > this.callers) this.buckets.delete(this.buckets.keys().next().value!);
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}

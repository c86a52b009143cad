// The metrics of the HTTP server, in the text format that Prometheus reads.

/** Upper bounds in seconds: a warm recall takes a few milliseconds, a cold one with a remote embedder a second. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One metric with its current values. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly type?: "gauge" | "counter";
  readonly values: readonly { readonly labels?: Labels; readonly value: number }[];
}

type Labels = Readonly<Record<string, string>>;

export class Metrics {
  private readonly requests = new Map<string, { readonly labels: Labels; value: number }>();
  private readonly recalls = { counts: BOUNDS.map(() => 0), sum: 0, count: 0 };

  request(labels: { readonly method: string; readonly route: string; readonly status: string }): void {
    const key = JSON.stringify(labels);
    const row = this.requests.get(key) ?? { labels, value: 0 };
    row.value++;
    this.requests.set(key, row);
  }

  recall(seconds: number): void {
    this.recalls.count++;
    this.recalls.sum += seconds;
    for (const [at, bound] of BOUNDS.entries()) if (seconds <= bound) this.recalls.counts[at]!++;
  }

  text(gauges: readonly Gauge[]): string {
    const requests: Gauge = {
      name: "repertoire_http_requests_total",
      help: "Answered requests.",
      type: "counter",
      values: [...this.requests.values()],
    };
    return [...[requests, ...gauges].flatMap(lines), ...this.recallLines(), ""].join("\n");
  }

  private recallLines(): string[] {
    const name = "repertoire_recall_seconds";
    const { counts, sum, count } = this.recalls;
    const bucket = (bound: string, value: number) => `${name}_bucket{le="${bound}"} ${value}`;
    return [
      `# HELP ${name} How long recalls and prompts over the API took.`,
      `# TYPE ${name} histogram`,
      ...BOUNDS.map((bound, at) => bucket(String(bound), counts[at]!)),
      bucket("+Inf", count),
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
    ];
  }
}

function lines({ name, help, type = "gauge", values }: Gauge): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(({ labels = {}, value }) => {
      const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
      return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
    }),
  ];
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

it("writes figures in the format of Prometheus, labels escaped, the histogram cumulative", () => {
  const metrics = new Metrics();
  const asked = { method: "GET", route: "/api/skills", status: "200" };
  metrics.request(asked);
  metrics.request({ ...asked });
  metrics.recall(0.003);
  metrics.recall(0.3);
  metrics.recall(9);
  const odd = { name: "odd", help: "Odd.", values: [{ value: 1, labels: { name: 'a"b\\c\nd' } }] };
  expect(metrics.text([odd])).toMatchInlineSnapshot(`
    "# HELP repertoire_http_requests_total Answered requests.
    # TYPE repertoire_http_requests_total counter
    repertoire_http_requests_total{method="GET",route="/api/skills",status="200"} 2
    # HELP odd Odd.
    # TYPE odd gauge
    odd{name="a\\"b\\\\c\\nd"} 1
    # HELP repertoire_recall_seconds How long recalls and prompts over the API took.
    # TYPE repertoire_recall_seconds histogram
    repertoire_recall_seconds_bucket{le="0.001"} 0
    repertoire_recall_seconds_bucket{le="0.0025"} 0
    repertoire_recall_seconds_bucket{le="0.005"} 1
    repertoire_recall_seconds_bucket{le="0.01"} 1
    repertoire_recall_seconds_bucket{le="0.025"} 1
    repertoire_recall_seconds_bucket{le="0.05"} 1
    repertoire_recall_seconds_bucket{le="0.1"} 1
    repertoire_recall_seconds_bucket{le="0.25"} 1
    repertoire_recall_seconds_bucket{le="0.5"} 2
    repertoire_recall_seconds_bucket{le="1"} 2
    repertoire_recall_seconds_bucket{le="2.5"} 2
    repertoire_recall_seconds_bucket{le="+Inf"} 3
    repertoire_recall_seconds_sum 9.303
    repertoire_recall_seconds_count 3
    "
  `);
});

#!/usr/bin/env python3
"""Writes kilnd's Grafana dashboards, or checks that the files are those that it would write.

    dashboards.py [--check] DIRECTORY

Exit code 1 with --check if a file differs. Metrics: server/metrics/METRICS.md.
"""

import json
import os
import sys

from panels import OF, bars, dashboard, graph, number, row, share, table, variable

RATE = "[$__rate_interval]"
RESULTS = 'kiln_compile_results_total{%s,cache=~"memory|disk|coalesced|miss"}' % OF
FAILED = 'code=~"UNAVAILABLE|RESOURCE_EXHAUSTED|INTERNAL|UNKNOWN|DATA_LOSS"'
CALLS = 'method=~"Compile|CompileStream/item"'
RED_ABOVE_0 = ((None, "green"), (1, "red"))


def rate(metric, by, labels=""):
    """Returns a sum of rates; `labels`: further matchers."""
    return "sum by (%s) (rate(%s{%s}%s))" % (by, metric, ",".join(filter(None, (OF, labels))), RATE)


def quantile(part, metric, by, labels=""):
    return "histogram_quantile(%s, %s)" % (part, rate(metric + "_bucket", by + ", le", labels))


def mean(metric, by, labels):
    """Returns the mean of a program's figure: kiln_code_<metric>_total over the number of programs."""
    return "%s / (%s > 0)" % (rate("kiln_code_%s_total" % metric, by, labels),
                              rate("kiln_code_variants_total", by, labels))


def overview():
    return dashboard("kiln-overview", "Kiln / Overview", "Rate, errors and duration of calls; the caches; the queue.", [
        number("Calls a second", [("sum(rate(kiln_requests_total{%s,%s}%s))" % (OF, CALLS, RATE), "")], "reqps"),
        number("Failed by the service", [(
            "sum(rate(kiln_requests_total{%s,%s,%s}%s)) / sum(rate(kiln_requests_total{%s,%s}%s))"
            % (OF, CALLS, FAILED, RATE, OF, CALLS, RATE), "")], "percentunit",
            about="Overload and errors of kilnd itself. The objective is 0.1 %.",
            steps=((None, "green"), (0.001, "orange"), (0.0144, "red"))),
        number("Answered by the caches", [(
            'sum(rate(kiln_compile_results_total{%s,cache=~"memory|disk"}%s)) / sum(rate(%s%s))'
            % (OF, RATE, RESULTS, RATE), "")], "percentunit"),
        number("Daemons that answer", [('sum(kiln_listener_healthy{%s})' % OF, "")]),
        number("Daemons that stop", [('sum(kiln_draining{%s})' % OF, "")], steps=((None, "green"), (1, "orange"))),
        number("Shaders in quarantine", [('sum(kiln_quarantine_entries{%s})' % OF, "")], steps=RED_ABOVE_0),
        row("Rate, errors, duration"),
        graph("Calls by method", [(rate("kiln_requests_total", "method"), "{{method}}")], "reqps"),
        graph("Calls by code, without OK", [(rate("kiln_requests_total", "code", 'code!="OK"'), "{{code}}")], "reqps"),
        graph("Refused calls by reason", [(rate("kiln_shed_total", "reason"), "{{reason}}")], "reqps"),
        graph("Duration by origin, 99th percentile", [
            (quantile("0.99", "kiln_request_duration_seconds", "cache"), "{{cache}}")], "s",
            about="Time in the daemon, of calls and items that were answered with results."),
        graph("Duration by origin, median", [
            (quantile("0.5", "kiln_request_duration_seconds", "cache"), "{{cache}}")], "s"),
        graph("In progress", [('sum by (method) (kiln_requests_in_flight{%s})' % OF, "{{method}}"),
                              ('sum(kiln_refusals_held{%s})' % OF, "refusals held")]),
        row("Results"),
        share("Where results come from", [(
            "sum by (cache) (rate(%s%s)) / ignoring (cache) group_left sum(rate(%s%s))" % (RESULTS, RATE, RESULTS, RATE),
            "{{cache}}")], stacked=True),
        graph("Results by status", [(rate("kiln_compile_results_total", "result"), "{{result}}")], "ops", stacked=True),
        graph("Queues", [('sum by (queue) (kiln_queue_depth{%s})' % OF, "{{queue}}")]),
        row("Daemons"),
        table("Builds", [('kiln_build_info{%s}' % OF, "")]),
        graph("Processor time of daemon and workers", [
            ("sum by (instance) (rate(process_cpu_seconds_total{%s}%s))" % (OF, RATE), "{{instance}} daemon"),
            (rate("kiln_worker_cpu_seconds_total", "instance, phase"), "{{instance}} workers, {{phase}}")], "s"),
        graph("Memory", [('process_resident_memory_bytes{%s}' % OF, "{{instance}} daemon"),
                         ('kiln_worker_resident_memory_bytes{%s}' % OF, "{{instance}} workers")], "bytes"),
        graph("Connections", [('kiln_connections{%s}' % OF, "{{instance}} {{listener}}"),
                              (rate("kiln_connections_refused_total", "reason"), "refused a second: {{reason}}")]),
    ])


def cache():
    return dashboard("kiln-cache", "Kiln / Cache", "Hits, sizes, retention and health of the two tiers.", [
        share("Hit ratio", [('job:kiln_cache_hits:ratio_rate5m{job=~"$job"}', "{{job}}, 5 minutes"),
                            ('job:kiln_cache_hits:ratio_rate1h{job=~"$job"}', "{{job}}, 1 hour")],
              about="From the recording rules, over all daemons of a job."),
        graph("Results by origin", [(rate("kiln_compile_results_total", "cache"), "{{cache}}")], "ops", stacked=True),
        graph("Results by stage and origin", [(rate("kiln_code_results_total", "stage, cache"), "{{stage}} {{cache}}")],
              "ops"),
        graph("Look-ups of records", [(rate("kiln_cache_requests_total", "tier, result"), "{{tier}} {{result}}")], "ops",
              about="Several for one call: README.md of server/metrics."),
        share("How full", [('kiln_cache_bytes{%s} / (kiln_cache_limit_bytes{%s} > 0)' % (OF, OF),
                            "{{instance}} {{tier}}")]),
        graph("Records", [('kiln_cache_entries{%s}' % OF, "{{instance}} {{tier}}")]),
        graph("Evicted", [(rate("kiln_cache_evicted_bytes_total", "tier"), "{{tier}}")], "Bps"),
        graph("Retention", [('kiln_cache_evicted_age_seconds{%s}' % OF, "{{instance}} {{tier}}")], "s",
              about="How long the record that was evicted last had not been used (memory) or had been there (disk)."),
        share("Results of invalid modules, of their bound", [(
            'kiln_cache_invalid_bytes{%s} / (kiln_cache_invalid_limit_bytes{%s} > 0)' % (OF, OF),
            "{{instance}} {{tier}}")]),
        row("Health of the disk tier"),
        graph("State", [('sum by (state) (kiln_cache_disk_state{%s})' % OF, "{{state}}")], stacked=True,
              about="Number of daemons."),
        graph("Causes", [('sum by (cause) (kiln_cache_disk_failing{%s})' % OF, "{{cause}}")], stacked=True),
        graph("Losses", [
            ('sum(increase(kiln_cache_lost_records_total{%s}%s))' % (OF, RATE), "records"),
            ('sum by (result) (increase(kiln_cache_damaged_generations_total{%s}%s))' % (OF, RATE),
             "generations {{result}}"),
            ('sum(increase(kiln_cache_write_errors_total{%s}%s))' % (OF, RATE), "not written")]),
    ])


def workers():
    return dashboard("kiln-workers", "Kiln / Workers", "Utilisation, saturation and errors of the worker processes.", [
        row("Utilisation"),
        share("Busy workers", [('instance:kiln_workers_busy:ratio{%s}' % OF, "{{instance}}")]),
        graph("Processor time", [(rate("kiln_worker_cpu_seconds_total", "instance, phase"), "{{instance}} {{phase}}")],
              "s"),
        share("Memory, of its bound", [('instance:kiln_memory_used:ratio{%s}' % OF, "{{instance}} {{bound}}")]),
        row("Saturation"),
        graph("Waiting jobs and lookups", [('kiln_queue_depth{%s}' % OF, "{{instance}} {{queue}}")]),
        graph("Time in queues, 99th percentile", [
            ('max by (queue, class) (instance_class:kiln_queue_wait_seconds:p99_rate5m{%s})' % OF,
             "{{queue}} {{class}}")], "s"),
        graph("Jobs a second by class", [(rate("kiln_queue_wait_seconds_count", "class"), "{{class}}")], "ops",
              stacked=True),
        share("Shares of clients", [('max by (rank) (kiln_queue_share{%s})' % OF, "{{rank}}")],
              about="Of the workers' recent processor time; the largest of the daemons."),
        graph("Clients with jobs", [('kiln_queue_owners{%s}' % OF, "{{instance}}")]),
        graph("Refused jobs", [(rate("kiln_queue_refused_jobs_total", "client"), "{{client}}"),
                               (rate("kiln_queue_displaced_total", "instance"), "{{instance}} displaced")], "ops"),
        row("Errors"),
        graph("Ends of workers", [(rate("kiln_worker_exits_total", "reason"), "{{reason}}")], "ops"),
        graph("Failures by cause", [
            ("topk(10, sum by (result, cause) (rate(kiln_job_failures_total{%s}%s)) > 0)" % (OF, RATE),
             "{{result}}: {{cause}}")], "ops"),
        graph("Quarantine", [('kiln_quarantine_entries{%s}' % OF, "{{instance}}"),
                             (rate("kiln_quarantine_refusals_total", "instance"), "{{instance}} refusals a second")]),
        graph("Rechecks", [(rate("kiln_rechecks_total", "result"), "{{result}}")], "ops"),
        table("Sandbox", [('kiln_sandbox_level{%s}' % OF, "")], width=16,
              about="0: the workers lack this layer."),
    ])


def passes():
    of_target = 'target=~"$target|any"'
    code = 'target=~"$target",results=~"$results"'
    return dashboard("kiln-passes", "Kiln / Passes and code", "What each pass does and costs, and the code that is made.", [
        row("Compiles"),
        graph("Compiles a second", [(rate("kiln_compile_duration_seconds_count", "target, stage", 'target=~"$target"'),
                                     "{{target}} {{stage}}")], "ops"),
        graph("Time of a compile, median", [
            (quantile("0.5", "kiln_compile_duration_seconds", "target, stage", 'target=~"$target"'),
             "{{target}} {{stage}}")], "s"),
        graph("Time of a compile, 99th percentile", [
            (quantile("0.99", "kiln_compile_duration_seconds", "target, stage", 'target=~"$target"'),
             "{{target}} {{stage}}")], "s"),
        row("Passes"),
        bars("Share of processor time", [(
            "topk(15, sum by (pass) (rate(kiln_pass_seconds_total{%s,%s}%s)) / ignoring (pass) group_left "
            "sum(rate(kiln_pass_seconds_total{%s,%s}%s)))" % (OF, of_target, RATE, OF, of_target, RATE), "{{pass}}")],
            "percentunit"),
        bars("Runs that change the code", [(
            "topk(15, sum by (pass) (rate(kiln_pass_changed_total{%s,%s}%s)) / (sum by (pass) "
            "(rate(kiln_pass_runs_total{%s,%s}%s)) > 0))" % (OF, of_target, RATE, OF, of_target, RATE), "{{pass}}")],
            "percentunit"),
        bars("Instructions removed a second", [(
            "topk(15, %s > 0)" % rate("kiln_pass_instructions_removed_total", "pass", of_target), "{{pass}}")]),
        bars("Instructions added a second", [(
            "topk(15, %s > 0)" % rate("kiln_pass_instructions_added_total", "pass", of_target), "{{pass}}")]),
        graph("Processor time by target", [(rate("kiln_pass_seconds_total", "target", of_target), "{{target}}")], "s",
              width=12, stacked=True),
        graph("Deaths", [("sum by (pass, target) (increase(kiln_pass_deaths_total{%s,%s}%s)) > 0"
                          % (OF, of_target, RATE), "{{pass}} {{target}}")], width=12),
        row("Code"),
        graph("Programs a second", [(rate("kiln_code_variants_total", "target, stage, results", code),
                                     "{{target}} {{stage}} {{results}}")], "ops"),
        graph("Instructions of a program", [(mean("instructions", "target, stage, results", code),
                                             "{{target}} {{stage}} {{results}}")]),
        graph("Bytes of a program", [(mean("bytes", "target, stage, results", code),
                                      "{{target}} {{stage}} {{results}}")], "bytes"),
        graph("Registers of a thread", [(mean("registers", "target, stage, results", code),
                                         "{{target}} {{stage}} {{results}}")]),
        graph("Spills of a program", [(mean("spills", "target, stage, results", code),
                                       "{{target}} {{stage}} {{results}}")]),
        share("Programs that spill", [(mean("spilling_variants", "target, stage, results", code),
                                       "{{target}} {{stage}} {{results}}")]),
    ], [variable("target", "target", 'label_values(kiln_target_info{job=~"$job"}, target)'),
        variable("results", "results", 'label_values(kiln_code_variants_total{job=~"$job"}, results)')])


def generations():
    def of(metric, version):
        return ('sum by (stage) (rate(%s{%s,target="$target",results="made"}%s) * on (job, instance, target) group_left '
                '(code_generation) kiln_target_info{code_generation="%s"})' % (metric, OF, RATE, version))

    def mean_of(metric, version):
        return "%s / (%s > 0)" % (of("kiln_code_%s_total" % metric, version), of("kiln_code_variants_total", version))

    def compared(title, metric, unit="short"):
        before, after = mean_of(metric, "$before"), mean_of(metric, "$after")
        return [graph(title, [(before, "{{stage}} $before"), (after, "{{stage}} $after")], unit, width=16),
                graph(title + ": $after / $before", [("(%s) / (%s)" % (after, before), "{{stage}}")], "percentunit")]

    seconds = ('sum(rate(kiln_compile_duration_seconds_%s{%s,target="$target"}%s) * on (job, instance, target) group_left '
               '(code_generation) kiln_target_info{code_generation="%s"})')

    def time_of(version):
        return "%s / (%s > 0)" % (seconds % ("sum", OF, RATE, version), seconds % ("count", OF, RATE, version))

    versions = 'label_values(kiln_target_info{job=~"$job",target="$target"}, code_generation)'
    about = ("Daemons of two code-generation versions side by side, of the same shaders or not: means of what each made. "
             "For the same shaders, compare two runs of kiln batch by kiln report.")
    return dashboard("kiln-generations", "Kiln / Two code-generation versions", about, [
        table("Daemons by version", [('kiln_target_info{%s,target="$target"}' % OF, "")]),
        *compared("Instructions of a program", "instructions"),
        *compared("Bytes of a program", "bytes", "bytes"),
        *compared("Registers of a thread", "registers"),
        graph("Spills of a program", [(mean_of("spills", "$before"), "{{stage}} $before"),
                                      (mean_of("spills", "$after"), "{{stage}} $after")], width=12),
        graph("Time of a compile", [(time_of("$before"), "$before"), (time_of("$after"), "$after")], "s", width=12),
        graph("Programs a second", [(of("kiln_code_variants_total", "$before"), "{{stage}} $before"),
                                    (of("kiln_code_variants_total", "$after"), "{{stage}} $after")], "ops", width=24),
    ], [variable("target", "target", 'label_values(kiln_target_info{job=~"$job"}, target)', many=False),
        variable("before", "before", versions, many=False), variable("after", "after", versions, many=False)])


def files():
    """Returns the text of each dashboard by file name."""
    made = (overview(), cache(), workers(), passes(), generations())
    return {each["uid"] + ".json": json.dumps(each, indent=1) + "\n" for each in made}


def main(arguments):
    check = "--check" in arguments
    directories = [a for a in arguments if a != "--check"]
    if len(directories) != 1:
        sys.exit(__doc__)
    wrong = []
    for name, text in files().items():
        path = os.path.join(directories[0], name)
        if check:
            with open(path, encoding="utf-8") as file:
                wrong += [path] if file.read() != text else []
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    for path in wrong:
        print("%s differs: run dashboards.py %s" % (path, directories[0]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

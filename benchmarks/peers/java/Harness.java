import com.sun.management.OperatingSystemMXBean;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What the harnesses in Java share: RULES EVENTS SECONDS MATCHES, and behind these what a harness takes besides.
 *
 * RULES has a rule a line, whose id is the number of its line, from 0; EVENTS has an event a line. Every event is matched
 * once, and its ids go to MATCHES as lines such as [3,7]. Then events are matched from the first on for SECONDS, after half
 * as long to warm up; seconds of CPU time, for a busy machine would else see less of what the compiler can do. One line of
 * figures is printed, as JSON. One thread matches, and its CPU time is told beside the clock's (the compiler and the
 * collector of garbage have threads of their own). Memory is the heap's growth after collection.
 */
abstract class Harness implements AutoCloseable {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** What is printed, by name; a harness may add to it. */
    final Map<String, Number> figures = new LinkedHashMap<>();

    /** Adds every rule; its id is its place in the list. */
    abstract void add(List<String> rules) throws Exception;

    /** Returns the ids of each event. */
    abstract List<List<Integer>> match(List<String> events) throws Exception;

    @Override
    public void close() throws Exception {}

    /** Does everything, matching so many events at a time. */
    final void run(String[] arguments, int batch) throws Exception {
        List<String> rules = Files.readAllLines(Path.of(arguments[0]));
        List<String> events = Files.readAllLines(Path.of(arguments[1]));
        double seconds = Double.parseDouble(arguments[2]);
        long before = heap();
        timed("build", () -> add(rules));
        figures.put("bytes_per_rule", (double) (heap() - before) / Math.max(rules.size(), 1));
        matchOnce(events, batch, Path.of(arguments[3]));
        measure(events, batch, seconds / 2);
        measure(events, batch, seconds);
        StringJoiner line = new StringJoiner(", ", "{", "}");
        figures.forEach((name, value) -> line.add("\"" + name + "\": " + value));
        System.out.println(line);
    }

    /** A piece of work. */
    interface Work {
        void run() throws Exception;
    }

    /** Notes how long work takes, by the clock and by the CPU time of all threads. */
    final void timed(String name, Work work) throws Exception {
        long start = System.nanoTime();
        long before = PROCESS.getProcessCpuTime();
        work.run();
        figures.put(name + "_seconds", (System.nanoTime() - start) / 1e9);
        figures.put(name + "_cpu_seconds", (PROCESS.getProcessCpuTime() - before) / 1e9);
    }

    private void matchOnce(List<String> events, int batch, Path file) throws Exception {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            for (int first = 0; first < events.size(); first += batch) {
                for (List<Integer> ids : match(part(events, first, batch))) {
                    out.println(ids.stream().sorted().toList().toString().replace(" ", ""));
                }
            }
        }
    }

    /** Matches from the first event on until the time is over, beginning anew behind the last. */
    private void measure(List<String> events, int batch, double seconds) throws Exception {
        long done = 0;
        long start = System.nanoTime();
        long before = CLOCK.getCurrentThreadCpuTime();
        double worked = 0;
        for (int first = 0; worked < seconds; first += batch) {
            first = first < events.size() ? first : 0;
            done += match(part(events, first, batch)).size();
            worked = (CLOCK.getCurrentThreadCpuTime() - before) / 1e9;
        }
        figures.put("events_per_second", done / ((System.nanoTime() - start) / 1e9));
        figures.put("events_per_cpu_second", done / worked);
    }

    private static List<String> part(List<String> events, int first, int batch) {
        return events.subList(first, Math.min(first + batch, events.size()));
    }

    private static long heap() {
        for (int round = 0; round < 3; round++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}

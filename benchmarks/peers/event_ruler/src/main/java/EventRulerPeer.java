import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import software.amazon.event.ruler.GenericMachine;

/**
 * AWS event-ruler on the benchmark's rules: RULES EVENTS SECONDS [MATCHES].
 *
 * RULES has lines {"id": 7, "pattern": {"a0": ["v3"]}}, EVENTS a JSON object a line. Every event is matched once, and its
 * ids go to MATCHES as lines such as [3,7]. Then events are matched from the first on until SECONDS have passed, after
 * half as long to warm up. One line of figures is printed. One thread; memory is the heap's growth after collection.
 */
public final class EventRulerPeer {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[2]);
        List<String> events = Files.readAllLines(Path.of(arguments[1]));
        GenericMachine<Integer> machine = GenericMachine.<Integer>builder().build();
        long before = heap();
        double[] building = new double[1];
        int rules = load(machine, Path.of(arguments[0]), building);
        long bytes = heap() - before;
        long matches = matchOnce(machine, events, arguments.length > 3 ? arguments[3] : null);
        rate(machine, events, seconds / 2);
        System.out.printf(
                "{\"rules\": %d, \"build_seconds\": %.3f, \"bytes_per_rule\": %.1f, \"events\": %d, \"matches\": %d, "
                        + "\"events_per_second\": %.1f}%n",
                rules, building[0], (double) bytes / Math.max(rules, 1), events.size(), matches,
                rate(machine, events, seconds));
    }

    /** Adds every rule; the time is that of adding, not of reading the file. */
    private static int load(GenericMachine<Integer> machine, Path file, double[] building) throws IOException {
        int rules = 0;
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode rule = JSON.readTree(line);
                String pattern = rule.get("pattern").toString();
                long start = System.nanoTime();
                machine.addRule(rule.get("id").asInt(), pattern);
                building[0] += (System.nanoTime() - start) / 1e9;
                rules++;
            }
        }
        return rules;
    }

    private static long matchOnce(GenericMachine<Integer> machine, List<String> events, String file) throws Exception {
        long matches = 0;
        try (PrintWriter out = file == null ? null : new PrintWriter(Files.newBufferedWriter(Path.of(file)))) {
            for (String event : events) {
                List<Integer> found = new ArrayList<>(machine.rulesForJSONEvent(event));
                matches += found.size();
                if (out != null) {
                    found.sort(null);
                    out.println(found.toString().replace(" ", ""));
                }
            }
        }
        return matches;
    }

    private static double rate(GenericMachine<Integer> machine, List<String> events, double seconds) throws Exception {
        if (events.isEmpty()) {
            return 0;
        }
        long done = 0;
        long start = System.nanoTime();
        double passed = 0;
        while (passed < seconds) {
            machine.rulesForJSONEvent(events.get((int) (done % events.size())));
            done++;
            passed = (System.nanoTime() - start) / 1e9;
        }
        return done / passed;
    }

    private static long heap() {
        for (int round = 0; round < 3; round++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}

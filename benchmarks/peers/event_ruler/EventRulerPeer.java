import java.util.ArrayList;
import java.util.List;
import software.amazon.event.ruler.GenericMachine;

/** AWS event-ruler: a rule is a pattern such as {"a0": ["v3"]}, an event a JSON object, which is read each time. */
final class EventRulerPeer extends Harness {
    private final GenericMachine<Integer> machine = GenericMachine.<Integer>builder().build();

    public static void main(String[] arguments) throws Exception {
        try (Harness harness = new EventRulerPeer()) {
            harness.run(arguments, 1);
        }
    }

    @Override
    void add(List<String> rules) throws Exception {
        for (int id = 0; id < rules.size(); id++) {
            machine.addRule(id, rules.get(id));
        }
    }

    @Override
    List<List<Integer>> match(List<String> events) throws Exception {
        List<List<Integer>> found = new ArrayList<>(events.size());
        for (String event : events) {
            found.add(machine.rulesForJSONEvent(event));
        }
        return found;
    }
}

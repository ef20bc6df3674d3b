import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.MultiMatchingQueries;
import org.apache.lucene.monitor.MultipassTermFilteredPresearcher;
import org.apache.lucene.monitor.Presearcher;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.monitor.TermWeightor;
import org.apache.lucene.queryparser.classic.QueryParser;

/**
 * Lucene Monitor: a rule is a query such as +greece +(crisis "debt relief") -imf, an event a text.
 *
 * It takes CHARACTERS (see Terms), BATCH, PASSES and WEIGHTS besides. BATCH texts are matched at a time. PASSES are those
 * of the multipass presearcher, and 0 stands for the default one. A presearcher finds a query by those of its terms that
 * weigh most: WEIGHTS is "lengths", Lucene's default, or "frequencies", so that the term counts that is rarest in EVENTS.
 */
final class LuceneMonitorPeer extends Harness {
    private static final String FIELD = "text";

    private final Terms terms;
    private final Monitor monitor;

    private LuceneMonitorPeer(Terms terms, Presearcher presearcher) throws Exception {
        this.terms = terms;
        this.monitor = new Monitor(terms, presearcher);
    }

    public static void main(String[] arguments) throws Exception {
        Terms terms = new Terms(Path.of(arguments[4]));
        int passes = Integer.parseInt(arguments[6]);
        boolean told = arguments[7].equals("frequencies");
        TermWeightor weightor = told ? rarest(terms, Path.of(arguments[1])) : TermWeightor.DEFAULT;
        Presearcher presearcher = passes == 0
                ? new TermFilteredPresearcher(weightor, Collections.emptyList(), Collections.emptySet())
                : new MultipassTermFilteredPresearcher(
                        passes, 0, weightor, Collections.emptyList(), Collections.emptySet());
        try (Harness harness = new LuceneMonitorPeer(terms, presearcher)) {
            harness.run(arguments, Integer.parseInt(arguments[5]));
        }
    }

    /** Parses and registers; how much of the time went into registering is told by itself. */
    @Override
    void add(List<String> rules) throws Exception {
        QueryParser parser = new QueryParser(FIELD, terms);
        List<MonitorQuery> queries = new ArrayList<>(rules.size());
        for (int id = 0; id < rules.size(); id++) {
            queries.add(new MonitorQuery(Integer.toString(id), parser.parse(rules.get(id))));
        }
        timed("register", () -> monitor.register(queries));
    }

    @Override
    List<List<Integer>> match(List<String> events) throws Exception {
        Document[] documents = new Document[events.size()];
        for (int at = 0; at < documents.length; at++) {
            documents[at] = new Document();
            documents[at].add(new TextField(FIELD, events.get(at), Field.Store.NO));
        }
        MultiMatchingQueries<QueryMatch> matched = monitor.match(documents, QueryMatch.SIMPLE_MATCHER);
        if (!matched.getErrors().isEmpty()) {
            throw new IllegalStateException("queries failed: " + matched.getErrors());
        }
        List<List<Integer>> found = new ArrayList<>(documents.length);
        for (int at = 0; at < documents.length; at++) {
            List<Integer> ids = new ArrayList<>();
            for (QueryMatch match : matched.getMatches(at)) {
                ids.add(Integer.valueOf(match.getQueryId()));
            }
            found.add(ids);
        }
        return found;
    }

    @Override
    public void close() throws Exception {
        monitor.close();
    }

    /** Weighs a term by the number of texts that have it: in the monitor's favour, for it cannot know what will come. */
    private static TermWeightor rarest(Terms terms, Path events) throws Exception {
        Map<String, Integer> frequencies = new HashMap<>();
        for (String text : Files.readAllLines(events)) {
            Set<String> distinct = new HashSet<>();
            try (TokenStream stream = terms.tokenStream(FIELD, text)) {
                CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
                stream.reset();
                while (stream.incrementToken()) {
                    distinct.add(term.toString());
                }
                stream.end();
            }
            distinct.forEach(word -> frequencies.merge(word, 1, Integer::sum));
        }
        return term -> 1.0 / (1 + frequencies.getOrDefault(term.text(), 0));
    }
}

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.Arrays;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Watchword's terms as an analyser of Lucene (docs/terms.md), by Watchword's own characters.
 *
 * The file has lines of three kinds, with code points in hexadecimal:
 *
 *   word 61 7a      the characters from a to z are parts of terms
 *   mark 300 36f    these are where they follow such a character
 *   fold df 73 73   ß is replaced by ss; nothing behind the first: it is left out
 *
 * A text is folded character by character and brought to Normalization Form C; a term is a longest run of word
 * characters with the marks that follow them.
 */
final class Terms extends Analyzer {
    private static final byte WORD = 1;
    private static final byte MARK = 2;

    private final byte[] kinds = new byte[Character.MAX_CODE_POINT + 1];
    private final String[] folds = new String[Character.MAX_CODE_POINT + 1];

    Terms(Path characters) throws IOException {
        for (String line : Files.readAllLines(characters)) {
            String[] parts = line.split(" ");
            int first = Integer.parseInt(parts[1], 16);
            if (parts[0].equals("fold")) {
                StringBuilder folded = new StringBuilder();
                for (int at = 2; at < parts.length; at++) {
                    folded.appendCodePoint(Integer.parseInt(parts[at], 16));
                }
                folds[first] = folded.toString();
            } else {
                int last = Integer.parseInt(parts[2], 16);
                Arrays.fill(kinds, first, last + 1, parts[0].equals("word") ? WORD : MARK);
            }
        }
    }

    @Override
    protected TokenStreamComponents createComponents(String field) {
        return new TokenStreamComponents(new Cutter());
    }

    private String folded(CharSequence text) {
        StringBuilder folded = new StringBuilder(text.length());
        boolean ascii = true;
        for (int at = 0; at < text.length(); ) {
            int code = Character.codePointAt(text, at);
            at += Character.charCount(code);
            ascii &= code < 128;
            if (folds[code] == null) {
                folded.appendCodePoint(code);
            } else {
                folded.append(folds[code]);
            }
        }
        return ascii ? folded.toString() : Normalizer.normalize(folded, Normalizer.Form.NFC);
    }

    private final class Cutter extends Tokenizer {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final char[] chunk = new char[4096];
        private String text = "";
        private int at;

        @Override
        public void reset() throws IOException {
            super.reset();
            StringBuilder read = new StringBuilder();
            for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
                read.append(chunk, 0, count);
            }
            text = folded(read);
            at = 0;
        }

        @Override
        public boolean incrementToken() {
            clearAttributes();
            while (at < text.length() && kinds[text.codePointAt(at)] != WORD) {
                at += Character.charCount(text.codePointAt(at));
            }
            int start = at;
            while (at < text.length() && kinds[text.codePointAt(at)] != 0) {
                at += Character.charCount(text.codePointAt(at));
            }
            term.append(text, start, at);
            return at > start;
        }
    }
}

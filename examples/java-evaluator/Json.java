import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON as null, Boolean, Double, String, List and Map. Numbers are binary64; strings may contain half a surrogate pair. */
final class Json {
    private final String source;
    private int at;

    private Json(String source) {
        this.source = source;
    }

    /** Reads one value; throws IllegalArgumentException when the text is not JSON. */
    static Object parse(String source) {
        Json json = new Json(source);
        Object value = json.value();
        json.blanks();
        if (json.at < source.length()) throw json.unexpected();
        return value;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("not JSON at character " + at);
    }

    private void blanks() {
        while (at < source.length() && " \t\r\n".indexOf(source.charAt(at)) >= 0) at++;
    }

    private boolean take(String token) {
        blanks();
        if (!source.startsWith(token, at)) return false;
        at += token.length();
        return true;
    }

    private void expect(String token) {
        if (!take(token)) throw unexpected();
    }

    private Object value() {
        if (take("{")) return object();
        if (take("[")) return array();
        if (take("\"")) return text();
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("null")) return null;
        return number();
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        if (take("}")) return object;
        do {
            expect("\"");
            String name = text();
            expect(":");
            object.put(name, value());
        } while (take(","));
        expect("}");
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        if (take("]")) return array;
        do array.add(value());
        while (take(","));
        expect("]");
        return array;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        while (at < source.length()) {
            char next = source.charAt(at++);
            if (next == '"') return text.toString();
            text.append(next == '\\' ? escaped() : next);
        }
        throw unexpected();
    }

    private char escaped() {
        char letter = at < source.length() ? source.charAt(at++) : 0;
        int plain = "\"\\/bfnrt".indexOf(letter);
        if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
        if (letter != 'u' || at + 4 > source.length()) throw unexpected();
        at += 4;
        return (char) Integer.parseInt(source.substring(at - 4, at), 16);
    }

    private Double number() {
        int start = at;
        while (at < source.length() && "+-.0123456789eE".indexOf(source.charAt(at)) >= 0) at++;
        if (start == at) throw unexpected();
        return Double.parseDouble(source.substring(start, at));
    }

    /** Writes ASCII only. NaN and the infinities are tagged as in the vectors. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String text) {
            writeText(text, out);
        } else if (value instanceof Number number) {
            double given = number.doubleValue();
            out.append(Double.isFinite(given) ? FlagEvaluator.numberText(given) : "{\"$number\":\"" + given + "\"}");
        } else if (value instanceof List<?> list) {
            String comma = "[";
            for (Object item : list) {
                out.append(comma);
                write(item, out);
                comma = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof Map<?, ?> map) {
            String comma = "{";
            for (var entry : map.entrySet()) {
                out.append(comma);
                writeText((String) entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                comma = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else out.append(value);
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (char code : text.toCharArray()) {
            if (code == '"' || code == '\\') out.append('\\').append(code);
            else if (code >= ' ' && code <= '~') out.append(code);
            else out.append(String.format("\\u%04x", (int) code));
        }
        out.append('"');
    }
}

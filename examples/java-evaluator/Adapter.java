import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The conformance adapter: JSON lines on stdin and stdout, one answer for each request. */
public final class Adapter {
    private static final long STACK_BYTES = 512L << 20;

    private FlagEvaluator evaluator = new FlagEvaluator(null);
    private boolean isRunning = true;

    public static void main(String[] arguments) throws InterruptedException {
        // A thread with a large stack, because the JSON reader recurses and a ruleset may be nested deeply.
        Thread thread = new Thread(null, () -> new Adapter().run(), "adapter", STACK_BYTES);
        thread.start();
        thread.join();
    }

    private void run() {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try {
            while (isRunning) {
                String line = in.readLine();
                if (line == null) break;
                if (line.isBlank()) continue;
                out.print(Json.write(answer(line)) + "\n");
                out.flush();
            }
        } catch (IOException gone) {
            System.err.println(gone);
        }
    }

    private Map<String, Object> answer(String line) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("seq", null);
        try {
            Map<?, ?> request = (Map<?, ?>) Json.parse(line);
            answer.put("seq", request.get("seq"));
            Object ok = perform(request);
            if (ok != null) answer.put("ok", ok);
            else answer.put("skipped", entries("reason", "unknown command " + request.get("cmd"), "issue", null));
        } catch (RuntimeException | StackOverflowError error) { // reported to the kit as a finding
            answer.put("error", entries("kind", error.getClass().getSimpleName(), "message", "" + error.getMessage()));
        }
        return answer;
    }

    /** Runs one command; returns null if the command is unknown. */
    private Object perform(Map<?, ?> request) {
        switch ("" + request.get("cmd")) {
            case "hello":
                return entries(
                        "name", "java-evaluator",
                        "version", "1.0.0",
                        "language", "java",
                        "runtime", "java " + Runtime.version().feature(),
                        "bucketing", List.of(1, 2, 3),
                        "capabilities", List.of("evaluate", "bucket"));
            case "load":
                evaluator = new FlagEvaluator(decode(request.get("ruleset")));
                return Map.of();
            case "evaluate":
                return each(request, this::evaluate);
            case "evaluateAll":
                Map<String, Object> all = new LinkedHashMap<>();
                evaluator.evaluateAll(decode(request.get("context"))).forEach((key, result) -> all.put(key, fields(result)));
                return all;
            case "bucket":
                return each(request, this::bucket);
            case "stop":
                isRunning = false;
                return Map.of();
            default:
                return null;
        }
    }

    /** Answers a single call, or the list in `calls`. */
    private static Object each(Map<?, ?> request, Function<Map<?, ?>, Object> ask) {
        if (!(request.get("calls") instanceof List<?> calls)) return ask.apply(request);
        List<Object> results = new ArrayList<>();
        for (Object call : calls) results.add(ask.apply((Map<?, ?>) call));
        return Map.of("results", results);
    }

    private Object evaluate(Map<?, ?> call) {
        return fields(evaluator.evaluate(call.get("flag"), decode(call.get("context"))));
    }

    private Object bucket(Map<?, ?> call) {
        String flag = (String) call.get("flag"), user = (String) call.get("user");
        int revision = call.get("bucketing") instanceof Double number ? number.intValue() : 1;
        return entries(
                "hash", Integer.toUnsignedLong(FlagEvaluator.hash(flag, user, revision)),
                "bucket", FlagEvaluator.bucket(flag, user, revision));
    }

    private static Map<String, Object> fields(FlagEvaluator.Result result) {
        return entries(
                "value", result.value(),
                "reason", result.reason(),
                "rule_id", result.ruleId(),
                "variation_key", result.variationKey());
    }

    private static Map<String, Object> entries(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        return map;
    }

    /** Decodes the tags for values that JSON lacks. Java has no inherited properties, so these become absent. */
    private static Object decode(Object value) {
        if (value instanceof List<?> list) {
            List<Object> decoded = new ArrayList<>();
            for (Object item : list) decoded.add(decode(item));
            return decoded;
        }
        if (!(value instanceof Map<?, ?> map)) return value;
        if (map.size() == 1 && map.get("$number") instanceof String name) {
            switch (name) {
                case "NaN", "Infinity", "-Infinity", "-0":
                    return Double.parseDouble(name);
                default:
            }
        }
        Map<String, Object> decoded = new LinkedHashMap<>();
        map.forEach((key, item) -> {
            boolean isAbsent = item instanceof Map<?, ?> tag && tag.size() == 1 && Boolean.TRUE.equals(tag.get("$absent"));
            if (!key.equals("$inherited") && !isAbsent) decoded.put((String) key, decode(item));
        });
        return decoded;
    }
}

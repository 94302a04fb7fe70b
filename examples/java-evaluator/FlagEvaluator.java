import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A flag evaluator for compiled rulesets in one file, for Java 17, without dependencies. It was written from the
 * specification and what-an-evaluator-owes.md, whose sentences (EV-…) the comments cite. Evaluation never throws.
 *
 * <p>Rulesets and contexts are decoded JSON: null, Boolean, Double, String, List and Map. Do not change them
 * afterwards. An evaluator is thread-safe.
 */
public final class FlagEvaluator {
    /** The result of an evaluation. If the flag does not exist, everything except the reason is null. */
    public record Result(Object value, String reason, String ruleId, String variationKey) {}

    private static final Result NOT_FOUND = new Result(null, "FLAG_NOT_FOUND", null, null);

    private record Entry(String variation, double percentage) {}

    private record Rule(
            String id, double priority, List<Condition> conditions, String variation, List<Entry> rollout, Object bucketing) {}

    /** Buckets from `from`, inclusive, to `to`, exclusive. `name` is a variation or, in a gate, a salt. */
    private record Range(String name, double from, double to) {
        boolean contains(int bucket) {
            return from <= bucket && bucket < to;
        }
    }

    private record Units(String salt, String by, List<Range> ranges, List<Range> gates) {}

    private record Prerequisite(String flagKey, String variation) {}

    private record Flag(
            String key, boolean enabled, Map<String, Object> values, String byDefault, List<Rule> rules, List<Prerequisite> needs) {
        Result serve(String variation, String reason, String ruleId) {
            return new Result(values.get(variation), reason, ruleId, variation);
        }
    }

    private interface Condition {
        boolean matches(Context context);
    }

    private final Map<String, List<Condition>> segments = new HashMap<>();
    private final Map<String, Flag> flags = new LinkedHashMap<>();

    /** Prepares a ruleset of any shape; broken parts count as absent (EV-7 to EV-27). */
    public FlagEvaluator(Object ruleset) {
        for (Object json : listIn(ruleset, "segments")) {
            try {
                var segment = object(json);
                var conditions = each(segment.get("conditions"), part -> condition(part, false));
                segments.putIfAbsent(text(segment.get("key")), conditions);
            } catch (Broken broken) {
                // A broken segment has no members.
            }
        }
        for (Object json : listIn(ruleset, "flags")) {
            try {
                Flag flag = flag(object(json));
                flags.putIfAbsent(flag.key, flag);
            } catch (Broken broken) {
                // A broken flag counts as absent.
            }
        }
    }

    /** Evaluates one flag. */
    public Result evaluate(Object flagKey, Object context) {
        Flag flag = flagKey instanceof String ? flags.get(flagKey) : null;
        return flag == null ? NOT_FOUND : decide(flag, new Context(context), new HashMap<>());
    }

    /** Evaluates every flag that is not broken; returns the results by flag key. */
    public Map<String, Result> evaluateAll(Object context) {
        var view = new Context(context);
        var decided = new HashMap<String, Result>();
        var results = new LinkedHashMap<String, Result>();
        flags.forEach((key, flag) -> results.put(key, decide(flag, view, decided)));
        return results;
    }

    // Prerequisites (EV-117 to EV-123), without recursion, because a long chain would overflow the stack.

    private static final class Visit {
        final Flag flag;
        int next;

        Visit(Flag flag) {
            this.flag = flag;
        }
    }

    private Result decide(Flag wanted, Context context, Map<String, Result> decided) {
        Deque<Visit> path = new ArrayDeque<>();
        Set<String> onPath = new HashSet<>();
        if (!decided.containsKey(wanted.key)) path.push(new Visit(wanted));
        while (!path.isEmpty()) {
            Visit visit = path.peek();
            Flag flag = visit.flag;
            onPath.add(flag.key);
            Result result = null;
            if (!flag.enabled) {
                result = flag.serve(flag.byDefault, "DISABLED", null);
            } else if (visit.next == flag.needs.size()) {
                result = walk(flag, context);
            } else {
                Prerequisite need = flag.needs.get(visit.next);
                Flag needed = flags.get(need.flagKey);
                Result served = decided.get(need.flagKey);
                if (needed != null && served == null && !onPath.contains(need.flagKey)) path.push(new Visit(needed));
                else if (served != null && holds(served, need)) visit.next++;
                else result = flag.serve(flag.byDefault, "PREREQUISITE", null);
            }
            if (result != null) {
                decided.put(flag.key, result);
                onPath.remove(flag.key);
                path.pop();
            }
        }
        return decided.get(wanted.key);
    }

    private static boolean holds(Result served, Prerequisite need) {
        boolean isOpen = !served.reason.equals("DISABLED") && !served.reason.equals("PREREQUISITE");
        return isOpen && served.variationKey.equals(need.variation);
    }

    // Rules (EV-36 to EV-39, EV-50 to EV-53 and EV-124 to EV-134): the first rule whose conditions all match decides.

    private static Result walk(Flag flag, Context context) {
        for (Rule rule : flag.rules) {
            if (!all(rule.conditions, context)) continue;
            String variation = rule.rollout == null ? rule.variation : bucketed(flag, rule, context);
            String reason = rule.rollout == null ? "TARGETING_RULE" : "PERCENTAGE_ROLLOUT";
            if (!flag.values.containsKey(variation)) break;
            return flag.serve(variation, reason, rule.id);
        }
        return flag.serve(flag.byDefault, "DEFAULT", null);
    }

    private static boolean all(List<Condition> conditions, Context context) {
        return conditions.stream().allMatch(condition -> condition.matches(context));
    }

    /** The variation that the rollout serves to this user, or null. */
    private static String bucketed(Flag flag, Rule rule, Context context) {
        if (rule.bucketing instanceof Units units) return assigned(units, context);
        String userKey = context.userKey;
        double revision = rule.bucketing == null ? 1 : rule.bucketing instanceof Double number ? number : 0;
        if (userKey == null || userKey.isEmpty() || revision != 1 && revision != 2) return null;
        int bucket = bucket(flag.key, userKey, (int) revision);
        double sum = 0;
        for (Entry entry : rule.rollout) {
            sum += entry.percentage;
            if (bucket < sum) return entry.variation;
        }
        return null;
    }

    /** The variation that the ranges serve to the context's unit, or null (EV-126 to EV-133). */
    private static String assigned(Units units, Context context) {
        String unit = units.by.equals("user_key") ? context.userKey : textOf(context.attributes.get(units.by));
        if (unit == null || unit.isEmpty()) return null;
        for (Range gate : units.gates) if (!gate.contains(unitBucket(gate.name, unit))) return null;
        int bucket = unitBucket(units.salt, unit);
        return units.ranges.stream().filter(range -> range.contains(bucket)).map(Range::name).findFirst().orElse(null);
    }

    // Bucketing (EV-42 to EV-49 and EV-129)

    /** The 32-bit hash; the bucket is its remainder modulo 100. */
    public static int hash(String flagKey, String userKey, int revision) {
        int hash = 5381;
        for (int code : (flagKey + ":" + userKey).codePoints().toArray()) hash = hash * 33 + code;
        if (revision == 1) return hash;
        hash = (hash ^ hash >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }

    /** The bucket, 0 to 99. */
    public static int bucket(String flagKey, String userKey, int revision) {
        return Integer.remainderUnsigned(hash(flagKey, userKey, revision), 100);
    }

    /** The bucket of a unit in revision 3, 0 to 9,999. */
    public static int unitBucket(String salt, String unit) {
        return Integer.remainderUnsigned(hash(salt, unit, 2), 10_000);
    }

    // The structure of a ruleset (EV-7 to EV-27)

    private static final class Broken extends RuntimeException {
        Broken() {
            super(null, null, false, false);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object json) {
        if (json instanceof Map<?, ?>) return (Map<String, Object>) json;
        throw new Broken();
    }

    private static String text(Object json) {
        if (json instanceof String text) return text;
        throw new Broken();
    }

    private static double number(Object json) {
        if (json instanceof Double number && Double.isFinite(number)) return number;
        throw new Broken();
    }

    private static <T> List<T> each(Object json, Function<Map<String, Object>, T> read) {
        if (!(json instanceof List<?> list)) throw new Broken();
        List<T> items = new ArrayList<>();
        for (Object item : list) items.add(read.apply(object(item)));
        return items;
    }

    private static List<?> listIn(Object ruleset, String name) {
        return ruleset instanceof Map<?, ?> map && map.get(name) instanceof List<?> list ? list : List.of();
    }

    private Flag flag(Map<String, Object> json) {
        if (!(json.get("enabled") instanceof Boolean enabled)) throw new Broken();
        Map<String, Object> values = new HashMap<>();
        for (var variation : each(json.get("variations"), Function.identity())) {
            if (!variation.containsKey("value")) throw new Broken();
            String key = text(variation.get("key"));
            if (!values.containsKey(key)) values.put(key, variation.get("value"));
        }
        String byDefault = text(json.get("default_variation"));
        if (!values.containsKey(byDefault)) throw new Broken();
        Object rules = json.get("targeting_rules"), needs = json.get("prerequisites");
        List<Rule> sorted = rules == null ? new ArrayList<>() : each(rules, this::rule);
        // Adding 0.0 turns -0.0 into 0.0. The two priorities are equal, but compare() would put -0.0 first.
        sorted.sort(Comparator.comparingDouble(rule -> rule.priority + 0.0));
        return new Flag(
                text(json.get("key")), enabled, values, byDefault, sorted,
                needs == null ? List.of() : each(needs, FlagEvaluator::prerequisite));
    }

    private static Prerequisite prerequisite(Map<String, Object> json) {
        return new Prerequisite(text(json.get("flag_key")), text(json.get("variation")));
    }

    private static Entry entry(Map<String, Object> json) {
        return new Entry(text(json.get("variation")), number(json.get("percentage")));
    }

    private static Range range(Map<String, Object> json, String name) {
        return new Range(text(json.get(name)), number(json.get("from")), number(json.get("to")));
    }

    private static String salt(Object json) {
        if (text(json).isEmpty()) throw new Broken();
        return text(json);
    }

    /** Revision 3 of bucketing as `Units` (EV-124); anything else as it is. */
    private static Object bucketing(Object json) {
        try {
            var units = object(json);
            if (number(units.get("revision")) != 3) return json;
            Object gates = units.get("gates");
            var ranges = each(units.get("ranges"), part -> range(part, "variation"));
            return new Units(salt(units.get("salt")), text(units.get("by")), ranges, gates == null ? List.of() : each(gates, FlagEvaluator::gate));
        } catch (Broken broken) {
            return json;
        }
    }

    private static Range gate(Map<String, Object> json) {
        salt(json.get("salt"));
        return range(json, "salt");
    }

    private Rule rule(Map<String, Object> json) {
        Object variation = json.get("variation"), rollout = json.get("percentage_rollout");
        return new Rule(
                text(json.get("id")),
                number(json.get("priority")),
                each(json.get("conditions"), part -> condition(part, true)),
                variation == null ? null : text(variation),
                rollout == null ? null : each(rollout, FlagEvaluator::entry),
                bucketing(json.get("bucketing")));
    }

    /** The context (EV-7 to EV-27 and EV-57 to EV-59). */
    private static final class Context {
        final String userKey;
        final Map<?, ?> attributes;

        Context(Object json) {
            Map<?, ?> context = json instanceof Map<?, ?> map ? map : Map.of();
            userKey = context.get("user_key") instanceof String key ? key : null;
            attributes = context.get("attributes") instanceof Map<?, ?> map ? map : Map.of();
        }

        Object attribute(String name) {
            return name.equals("user_key") && !attributes.containsKey(name) ? userKey : attributes.get(name);
        }
    }

    // Conditions (EV-54 to EV-56 and EV-60 to EV-80): a negative operator negates its positive counterpart.

    private static final Map<String, String> TWINS =
            Map.of("is_not", "is", "not_contains", "contains", "not_one_of", "one_of");

    private Condition condition(Map<String, Object> json, boolean mayNameSegments) {
        String attribute = text(json.get("attribute")), operator = text(json.get("operator"));
        Object value = json.get("value");
        String asked = TWINS.getOrDefault(operator, operator);
        boolean negative = !asked.equals(operator);
        if (attribute.equals("$segment")) {
            Set<String> keys = asked.equals("is") || asked.equals("one_of") ? texts(asked, value) : null;
            if (keys == null || !mayNameSegments) return context -> false;
            return context -> keys.stream().anyMatch(key -> isMember(key, context)) != negative;
        }
        Predicate<Object> test = test(asked, value);
        if (test == null) return context -> false;
        return context -> {
            Object actual = context.attribute(attribute);
            if (actual instanceof List<?> list)
                return list.stream().anyMatch(item -> textOf(item) != null && test.test(item)) != negative;
            return textOf(actual) != null && test.test(actual) != negative;
        };
    }

    private boolean isMember(String key, Context context) {
        return segments.containsKey(key) && all(segments.get(key), context);
    }

    /** The test that a positive operator makes on a scalar; null if it never matches. */
    private static Predicate<Object> test(String operator, Object value) {
        String wanted = textOf(value);
        switch (operator) {
            case "is", "one_of":
                Set<String> keys = texts(operator, value);
                return keys == null ? null : item -> keys.contains(textOf(item));
            case "contains":
                return wanted == null ? null : item -> contains(textOf(item), wanted);
            case "matches_regex":
                Regex regex = wanted == null ? null : Regex.compile(wanted);
                return regex == null ? null : item -> regex.search(textOf(item));
            case "gt", "lt":
                double bound = numberOf(value), side = operator.equals("gt") ? 1 : -1;
                // NaN fails both comparisons.
                return item -> side > 0 ? numberOf(item) > bound : numberOf(item) < bound;
            case "version_gt", "version_lt":
                Version version = Version.parse(value);
                int sign = operator.equals("version_gt") ? 1 : -1;
                return version == null ? null : item -> {
                    Version other = Version.parse(item);
                    return other != null && other.compareTo(version) * sign > 0;
                };
            default:
                return null;
        }
    }

    /** The condition value as texts, or null if it has the wrong shape. */
    private static Set<String> texts(String operator, Object value) {
        List<?> items = operator.equals("is") ? textOf(value) == null ? null : List.of(value)
                : value instanceof List<?> list ? list : null;
        if (items == null) return null;
        Set<String> texts = new HashSet<>();
        for (Object item : items) if (textOf(item) != null) texts.add(textOf(item));
        return texts;
    }

    /** Compares by code points: a whole surrogate pair does not contain its halves. */
    private static boolean contains(String text, String part) {
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
            if (!splitsPair(text, at) && !splitsPair(text, at + part.length())) return true;
        }
        return false;
    }

    private static boolean splitsPair(String text, int at) {
        return at > 0 && at < text.length()
                && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at));
    }

    // Scalars (EV-64 to EV-80)

    /** The text of a scalar, or null for anything else. */
    private static String textOf(Object value) {
        if (value instanceof String text) return text;
        if (value instanceof Boolean) return value.toString();
        return value instanceof Double number && Double.isFinite(number) ? numberText(number) : null;
    }

    /** ECMAScript's Number::toString of a finite number. Double.toString has another layout, and too many digits before Java 19. */
    static String numberText(double number) {
        if (number == 0) return "0";
        if (number < 0) return "-" + numberText(-number);
        BigDecimal shortest = shortest(number);
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale(), length = digits.length();
        if (length <= point && point <= 21) return digits + "0".repeat(point - length);
        if (0 < point && point <= 21) return digits.substring(0, point) + "." + digits.substring(point);
        if (-6 < point && point <= 0) return "0." + "0".repeat(-point) + digits;
        String fraction = length == 1 ? "" : "." + digits.substring(1);
        return digits.charAt(0) + fraction + (point > 0 ? "e+" : "e-") + Math.abs(point - 1);
    }

    /**
     * The shortest decimal that reads back as this number. Among several, the nearest to the number; among two equally
     * near, the even one.
     */
    private static BigDecimal shortest(double number) {
        BigDecimal exact = new BigDecimal(number);
        for (int precision = 1; ; precision++) {
            // Near a power of two, the nearest decimal may read back as another number, although the decimal next to it
            // reads back as this one.
            for (RoundingMode mode : List.of(RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN)) {
                BigDecimal rounded = exact.round(new MathContext(precision, mode));
                if (rounded.doubleValue() == number) return rounded.stripTrailingZeros();
            }
        }
    }

    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]++(\\.[0-9]++)?|\\.[0-9]++)([eE][+-]?[0-9]++)?");

    /** The value of a number or of a decimal text; NaN for anything else. */
    private static double numberOf(Object value) {
        double number = value instanceof Double given ? given
                : value instanceof String text && DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        return Double.isFinite(number) ? number : Double.NaN;
    }

    /** A version (EV-81 to EV-86). */
    private record Version(List<String> core, List<String> prerelease) implements Comparable<Version> {
        private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]*+"), DIGITS = Pattern.compile("[0-9]++"),
                IDENTIFIER = Pattern.compile("[0-9A-Za-z-]++");

        static Version parse(Object value) {
            if (!(value instanceof String text)) return null;
            if (text.startsWith("v") || text.startsWith("V")) text = text.substring(1);
            String[] build = text.split("\\+", 2);
            String[] parts = build[0].split("-", 2);
            var core = new ArrayList<>(List.of(parts[0].split("\\.", -1)));
            List<String> prerelease = parts.length == 1 ? List.of() : List.of(parts[1].split("\\.", -1));
            boolean isVersion = core.size() <= 3 && core.stream().allMatch(part -> NUMBER.matcher(part).matches())
                    && prerelease.stream().allMatch(Version::isIdentifier)
                    && (build.length == 1 || List.of(build[1].split("\\.", -1)).stream()
                            .allMatch(part -> IDENTIFIER.matcher(part).matches()));
            while (core.size() < 3) core.add("0");
            return isVersion ? new Version(core, prerelease) : null;
        }

        private static boolean isIdentifier(String part) {
            return IDENTIFIER.matcher(part).matches()
                    && (!DIGITS.matcher(part).matches() || NUMBER.matcher(part).matches());
        }

        @Override
        public int compareTo(Version other) {
            for (int i = 0; i < 3; i++) {
                int order = compareNumbers(core.get(i), other.core.get(i));
                if (order != 0) return order;
            }
            if (prerelease.isEmpty() || other.prerelease.isEmpty())
                return Boolean.compare(prerelease.isEmpty(), other.prerelease.isEmpty());
            for (int i = 0; i < Math.min(prerelease.size(), other.prerelease.size()); i++) {
                int order = compareIdentifiers(prerelease.get(i), other.prerelease.get(i));
                if (order != 0) return order;
            }
            return Integer.compare(prerelease.size(), other.prerelease.size());
        }

        private static int compareIdentifiers(String one, String other) {
            boolean isNumber = DIGITS.matcher(one).matches(), isOtherNumber = DIGITS.matcher(other).matches();
            if (isNumber != isOtherNumber) return isNumber ? -1 : 1;
            return isNumber ? compareNumbers(one, other) : one.compareTo(other);
        }

        /** Compares digits without leading zeros: the longer text is the greater number. */
        private static int compareNumbers(String one, String other) {
            return one.length() != other.length() ? one.length() - other.length() : one.compareTo(other);
        }
    }

    /**
     * A regular expression of the dialect (EV-87 to EV-109): compiled to a nondeterministic automaton, all of whose
     * possible steps are followed in parallel.
     */
    static final class Regex {
        private static final String META = ".^$|()[]{}*+?\\";
        private static final int MAX_LENGTH = 512, MAX_REPEAT = 1000, MAX_STATES = 10_000;
        private static final int EDGE = 0, NEWLINE = 1, WORD = 2, OTHER = 3;

        private interface Assertion {
            boolean holds(int before, int after);
        }

        /** One step: it consumes a code point, checks an assertion, or does neither, and leads to one or two steps. */
        private static final class Step {
            IntPredicate takes;
            Assertion asserts;
            int next, other = -1;
        }

        /** A part of a pattern: its number of states, and a function that adds its steps before the next part's. */
        private record Part(double states, Runnable write) {}

        private static final class Outside extends RuntimeException {
            Outside() {
                super(null, null, false, false);
            }
        }

        private final int[] source;
        private final List<Step> steps = new ArrayList<>();
        private boolean ignoresCase, isMultiline, dotTakesNewline;
        private int at;

        /** Parses a pattern; returns null if it is outside the dialect. */
        static Regex compile(String source) {
            try {
                return new Regex(source.codePoints().toArray());
            } catch (Outside outside) {
                return null;
            }
        }

        private Regex(int[] source) {
            this.source = source;
            flags();
            expect(at < source.length && source.length <= MAX_LENGTH);
            Part whole = alternation();
            expect(at == source.length && whole.states <= MAX_STATES);
            whole.write.run();
        }

        private void expect(boolean isInside) {
            if (!isInside) throw new Outside();
        }

        private int peek(int ahead) {
            return at + ahead < source.length ? source[at + ahead] : -1;
        }

        private boolean take(int code) {
            if (peek(0) != code) return false;
            at++;
            return true;
        }

        private void flags() {
            int end = 2;
            while (peek(end) >= 0 && "ims".indexOf(peek(end)) >= 0) end++;
            if (peek(0) != '(' || peek(1) != '?' || end == 2 || peek(end) != ')') return;
            String letters = new String(source, 2, end - 2);
            ignoresCase = letters.contains("i");
            isMultiline = letters.contains("m");
            dotTakesNewline = letters.contains("s");
            at = end + 1;
        }

        private Part alternation() {
            List<Part> full = new ArrayList<>();
            int branches = 0;
            do {
                Part branch = branch();
                branches++;
                if (branch.states > 0) full.add(branch);
            } while (take('|'));
            // Branches without states match only the empty text, so one of them is enough.
            if (full.size() < branches) full.add(new Part(0, () -> {}));
            return new Part(full.stream().mapToDouble(Part::states).sum(), () -> {
                List<Step> ends = new ArrayList<>();
                for (Part branch : full.subList(0, full.size() - 1)) {
                    Step fork = step();
                    branch.write.run();
                    ends.add(step());
                    fork.other = steps.size();
                }
                full.get(full.size() - 1).write.run();
                for (Step end : ends) end.next = steps.size();
            });
        }

        private Part branch() {
            List<Part> parts = new ArrayList<>();
            while (at < source.length && peek(0) != '|' && peek(0) != ')') {
                if (take('^')) parts.add(asserting((before, after) -> before == EDGE || isMultiline && before == NEWLINE));
                else if (take('$')) parts.add(asserting((before, after) -> after == EDGE || isMultiline && after == NEWLINE));
                else if (peek(0) == '\\' && (peek(1) == 'b' || peek(1) == 'B')) {
                    boolean isBorder = peek(1) == 'b';
                    at += 2;
                    parts.add(asserting((before, after) -> ((before == WORD) != (after == WORD)) == isBorder));
                } else parts.add(quantified(atom()));
            }
            return new Part(parts.stream().mapToDouble(Part::states).sum(), () -> parts.forEach(part -> part.write.run()));
        }

        private Part atom() {
            if (take('(')) {
                if (take('?')) expect(take(':'));
                Part group = alternation();
                expect(take(')'));
                return group;
            }
            if (take('[')) return taking(characterClass());
            if (take('.')) return taking(code -> dotTakesNewline || code != '\n');
            IntPredicate shorthand = shorthand("dDwWsS");
            return taking(shorthand != null ? shorthand : folded(exactly(character("/"))));
        }

        private Part quantified(Part part) {
            int min = 1, max = 1;
            if (take('*') || take('+')) {
                min = source[at - 1] == '+' ? 1 : 0;
                max = -1;
            } else if (take('?')) {
                min = 0;
            } else if (take('{')) {
                min = max = count();
                if (take(',')) max = peek(0) == '}' ? -1 : count();
                expect(take('}') && (max < 0 || min <= max));
            } else return part;
            take('?');
            return repeated(part, min, max);
        }

        private int count() {
            int start = at;
            while (peek(0) >= '0' && peek(0) <= '9' && at < start + 4) at++;
            String digits = new String(source, start, at - start);
            expect(digits.equals("0") || !digits.isEmpty() && digits.charAt(0) != '0');
            int count = Integer.parseInt(digits);
            expect(count <= MAX_REPEAT);
            return count;
        }

        /** Repeats a part. With max -1, the last copy leads back to its own beginning. */
        private Part repeated(Part part, int min, int max) {
            double states = part.states * (max < 0 ? Math.max(min, 1) : max);
            return new Part(states, () -> {
                if (states == 0) return;
                for (int i = 0; i < min - 1; i++) part.write.run();
                int start = steps.size();
                if (max < 0) {
                    Step entry = min == 0 ? step() : null;
                    part.write.run();
                    step().other = start;
                    if (entry != null) entry.other = steps.size();
                    return;
                }
                if (min > 0) part.write.run();
                List<Step> exits = new ArrayList<>();
                for (int i = min; i < max; i++) {
                    exits.add(step());
                    part.write.run();
                }
                for (Step exit : exits) exit.other = steps.size();
            });
        }

        /** Adds a step that leads to the one after it. */
        private Step step() {
            Step step = new Step();
            steps.add(step);
            step.next = steps.size();
            return step;
        }

        private Part taking(IntPredicate set) {
            return new Part(1, () -> step().takes = set);
        }

        private Part asserting(Assertion assertion) {
            return new Part(1, () -> step().asserts = assertion);
        }

        /** Parses a literal: a character outside META, or a backslash before one in META or `more`. */
        private int character(String more) {
            boolean isEscaped = take('\\');
            int code = peek(0);
            at++;
            if (!isEscaped) {
                expect(code >= 0 && META.indexOf(code) < 0);
                return code;
            }
            int control = code < 0 ? -1 : "tnrf".indexOf(code);
            if (control >= 0) return "\t\n\r\f".charAt(control);
            expect(code >= 0 && (META + more).indexOf(code) >= 0);
            return code;
        }

        private IntPredicate shorthand(String letters) {
            if (peek(0) != '\\' || peek(1) < 0 || letters.indexOf(peek(1)) < 0) return null;
            int letter = peek(1);
            at += 2;
            IntPredicate set = switch (Character.toLowerCase(letter)) {
                case 'd' -> code -> code >= '0' && code <= '9';
                case 'w' -> Regex::isWord;
                default -> code -> code == ' ' || code == '\t' || code == '\n' || code == '\f' || code == '\r';
            };
            return Character.isUpperCase(letter) ? set.negate() : set;
        }

        private IntPredicate characterClass() {
            boolean isNegated = take('^');
            IntPredicate set = code -> false;
            boolean isFirst = true;
            do {
                set = set.or(classItem(isFirst));
                isFirst = false;
            } while (!take(']'));
            set = folded(set);
            return isNegated ? set.negate() : set;
        }

        private IntPredicate classItem(boolean isFirst) {
            if (peek(0) == '-') {
                expect(isFirst || peek(1) == ']');
                at++;
                return exactly('-');
            }
            IntPredicate shorthand = shorthand("dDwWs");
            if (shorthand != null) return shorthand;
            int low = member();
            if (peek(0) != '-' || peek(1) == ']') return exactly(low);
            at++;
            int high = member();
            expect(low <= high);
            return code -> code >= low && code <= high;
        }

        private int member() {
            int code = peek(0);
            expect(code != '-' && !(code == peek(1) && (code == '&' || code == '~' || code == '|')));
            // Inside a class, only the brackets and the backslash are reserved.
            if (code >= 0 && META.indexOf(code) >= 0 && code != '[' && code != ']' && code != '\\') return source[at++];
            return character("/-");
        }

        private static IntPredicate exactly(int wanted) {
            return code -> code == wanted;
        }

        private IntPredicate folded(IntPredicate set) {
            return ignoresCase ? code -> set.test(code) || isLetter(code) && set.test(code ^ 32) : set;
        }

        private static boolean isLetter(int code) {
            return code >= 'A' && code <= 'Z' || code >= 'a' && code <= 'z';
        }

        private static boolean isWord(int code) {
            return isLetter(code) || code >= '0' && code <= '9' || code == '_';
        }

        private static int sideOf(int code) {
            return code == '\n' ? NEWLINE : isWord(code) ? WORD : OTHER;
        }

        /** Whether the pattern matches anywhere in the text. Takes time linear in the text. */
        boolean search(String text) {
            int[] codes = text.codePoints().toArray();
            int end = steps.size();
            var alive = new StepSet(end);
            var following = new StepSet(end);
            for (int i = 0; i <= codes.length; i++) {
                int before = i == 0 ? EDGE : sideOf(codes[i - 1]);
                int after = i == codes.length ? EDGE : sideOf(codes[i]);
                alive.add(0);
                for (int k = 0; k < alive.size; k++) { // the loop also visits steps that it adds
                    int number = alive.items[k];
                    if (number == end) return true;
                    Step step = steps.get(number);
                    if (step.takes != null) {
                        if (i < codes.length && step.takes.test(codes[i])) following.add(step.next);
                    } else if (step.asserts == null || step.asserts.holds(before, after)) {
                        alive.add(step.next);
                        if (step.other >= 0) alive.add(step.other);
                    }
                }
                StepSet spent = alive;
                alive = following;
                following = spent;
                following.clear();
            }
            return false;
        }

        /** A set of step numbers in order of insertion. */
        private static final class StepSet {
            final int[] items;
            final boolean[] holds;
            int size;

            StepSet(int last) {
                items = new int[last + 1];
                holds = new boolean[last + 1];
            }

            void add(int number) {
                if (holds[number]) return;
                holds[number] = true;
                items[size++] = number;
            }

            void clear() {
                while (size > 0) holds[items[--size]] = false;
            }
        }
    }
}

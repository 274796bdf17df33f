import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Seals every planned case with the JDK's own providers: java Sign.java WORK_FOLDER (laid out as plan.py says). */
final class Sign {
    /** A field of the envelope; a literal is a number or a boolean, spelled as in JSON. */
    record Field(String text, boolean literal) {}

    private final Path work;
    private final Path folder;
    private final Map<String, String> settings = new HashMap<>();

    private Sign(Path work, Path folder) throws IOException {
        this.work = work;
        this.folder = folder;
        for (String line : Files.readAllLines(folder.resolve("settings"))) {
            int split = line.indexOf('=');
            settings.put(line.substring(0, split), line.substring(split + 1));
        }
    }

    public static void main(String[] args) throws Exception {
        Path work = Path.of(args[0]);
        try (Stream<Path> folders = Files.list(work.resolve("cases"))) {
            for (Path folder : folders.toList()) {
                Sign sealing = new Sign(work, folder);
                if (List.of(sealing.settings.get("tools").split(" ")).contains("jdk")) sealing.seal();
            }
        }
    }

    private void seal() throws IOException, GeneralSecurityException {
        byte[] plaintext = Files.readAllBytes(folder.resolve("plaintext"));
        String body = encode(encrypt(plaintext), is("bodyEncoding"));
        String covered = is("signs").equals("plaintext") ? new String(plaintext, StandardCharsets.UTF_8) : body;
        String signed = signedText(covered);
        String sign = encode(sign(signed.getBytes(StandardCharsets.UTF_8)), is("signatureEncoding"));
        Path out = Files.createDirectories(folder.resolve("out/jdk"));
        Files.writeString(out.resolve("body"), body);
        Files.writeString(out.resolve("signed"), signed);
        Files.writeString(out.resolve("sign"), sign);
    }

    private String is(String name) {
        return settings.get(name);
    }

    private byte[] encrypt(byte[] plaintext) throws IOException, GeneralSecurityException {
        byte[] iv = HexFormat.of().parseHex(is("ivHex"));
        SecretKeySpec key = new SecretKeySpec(aesKey(), "AES");
        boolean gcm = is("cipher").equals("GCM");
        Cipher cipher = Cipher.getInstance("AES/" + is("cipher") + (gcm ? "/NoPadding" : "/PKCS5Padding"));
        switch (is("cipher")) {
            case "GCM" -> cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
            case "CBC" -> cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(iv));
            default -> cipher.init(Cipher.ENCRYPT_MODE, key);
        }
        ByteArrayOutputStream sealed = new ByteArrayOutputStream();
        if (is("iv").equals("prefixed")) sealed.write(iv);
        sealed.write(cipher.doFinal(plaintext));
        return sealed.toByteArray();
    }

    private byte[] aesKey() {
        return switch (is("keyEncoding")) {
            case "hex" -> HexFormat.of().parseHex(is("aesKey"));
            case "base64" -> Base64.getDecoder().decode(is("aesKey"));
            default -> is("aesKey").getBytes(StandardCharsets.UTF_8);
        };
    }

    private String encode(byte[] bytes, String encoding) {
        return switch (encoding + "-" + is("layout")) {
            case "base64-wrapped" -> Base64.getMimeEncoder().encodeToString(bytes);
            case "base64url-padded" -> Base64.getUrlEncoder().encodeToString(bytes);
            case "hex-capitals" -> HexFormat.of().withUpperCase().formatHex(bytes);
            default -> switch (encoding) {
                case "base64" -> Base64.getEncoder().encodeToString(bytes);
                case "base64url" -> Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
                default -> HexFormat.of().formatHex(bytes);
            };
        };
    }

    private String signedText(String body) throws IOException {
        if (is("signedForm").equals("body")) return body;
        TreeMap<String, Field> sorted = new TreeMap<>();
        readFields("strings", false, sorted);
        readFields("literals", true, sorted);
        sorted.put("body", new Field(body, is("bodyInJson").equals("json")));
        Map<String, Field> fields = is("signedForm").endsWith("as-sent") ? asSent(sorted) : sorted;
        fields.keySet().removeAll(List.of(is("unsignedFields").split(" ")));
        if (!is("signedForm").equals("json-as-sent")) fields.values().removeIf(Sign::isEmpty);
        Stream<Map.Entry<String, Field>> entries = fields.entrySet().stream();
        if (is("signedForm").contains("pairs")) {
            return entries.map(entry -> entry.getKey() + "=" + entry.getValue().text()).collect(Collectors.joining("&"));
        }
        return entries.map(entry -> quote(entry.getKey()) + ":" + json(entry.getValue())).collect(Collectors.joining(",", "{", "}"));
    }

    private Map<String, Field> asSent(Map<String, Field> fields) {
        Map<String, Field> ordered = new LinkedHashMap<>();
        for (String name : is("order").split(" ")) ordered.put(name, fields.get(name));
        return ordered;
    }

    private static boolean isEmpty(Field field) {
        return field.text().isEmpty() || field.literal() && field.text().equals("null");
    }

    private void readFields(String part, boolean literal, Map<String, Field> fields) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(part))) {
            for (Path file : files.toList()) {
                fields.put(file.getFileName().toString(), new Field(Files.readString(file), literal));
            }
        }
    }

    private static String json(Field field) {
        return field.literal() ? field.text() : quote(field.text());
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            switch (unit) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\b' -> quoted.append("\\b");
                case '\t' -> quoted.append("\\t");
                case '\n' -> quoted.append("\\n");
                case '\f' -> quoted.append("\\f");
                case '\r' -> quoted.append("\\r");
                default -> quoted.append(unit < ' ' ? String.format("\\u%04x", (int) unit) : String.valueOf(unit));
            }
        }
        return quoted.append('"').toString();
    }

    private byte[] sign(byte[] text) throws IOException, GeneralSecurityException {
        String hash = is("signatureHash");
        boolean pss = is("signaturePadding").equals("PSS");
        Signature signature = Signature.getInstance(pss ? "RSASSA-PSS" : hash.replace("-", "") + "withRSA");
        if (pss) {
            int saltBytes = Integer.parseInt(is("saltBytes"));
            signature.setParameter(new PSSParameterSpec(hash, "MGF1", new MGF1ParameterSpec(hash), saltBytes, 1));
        }
        signature.initSign(privateKey());
        signature.update(text);
        return signature.sign();
    }

    private PrivateKey privateKey() throws IOException, GeneralSecurityException {
        String pem = Files.readString(work.resolve("keys").resolve(is("key") + ".pem"));
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
    }
}

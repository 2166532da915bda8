import com.perforce.p4java.client.IClient;
import com.perforce.p4java.client.IClientViewMapping;
import com.perforce.p4java.core.IBranchSpec;
import com.perforce.p4java.core.IChangelist;
import com.perforce.p4java.core.IDepot;
import com.perforce.p4java.core.ILabel;
import com.perforce.p4java.core.IStream;
import com.perforce.p4java.core.IStreamSummary;
import com.perforce.p4java.core.ViewMap;
import com.perforce.p4java.core.file.FileSpecBuilder;
import com.perforce.p4java.core.file.FileSpecOpStatus;
import com.perforce.p4java.core.file.IExtendedFileSpec;
import com.perforce.p4java.core.file.IFileSpec;
import com.perforce.p4java.exception.RequestException;
import com.perforce.p4java.impl.generic.client.ClientView;
import com.perforce.p4java.impl.generic.core.BranchSpec;
import com.perforce.p4java.impl.generic.core.Changelist;
import com.perforce.p4java.impl.generic.core.Label;
import com.perforce.p4java.impl.generic.core.Stream;
import com.perforce.p4java.option.client.AddFilesOptions;
import com.perforce.p4java.option.client.SyncOptions;
import com.perforce.p4java.option.server.GetDirectoriesOptions;
import com.perforce.p4java.option.server.GetExtendedFilesOptions;
import com.perforce.p4java.option.server.GetFileContentsOptions;
import com.perforce.p4java.server.IOptionsServer;
import com.perforce.p4java.server.ServerFactory;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * A developer's day with P4Java, on a server where p4warden is installed. Each step prints one line, "ok" or "NO", and
 * the next one is tried whatever happened; the exit status is 1 if any failed.
 *
 * <p>Arguments: HOST:PORT USER FOLDER, where FOLDER is the root of a client to be made; the password is the first line
 * of the standard input. The policy refuses whole depots, of clients, streams, branches and labels, and a third fstat.
 */
public final class Steps {
    private static final String FILE = "//depot/main/p4java/hello.txt";
    private static final String TEXT = "Hello from P4Java\n";
    private static final String REFUSED = "rule=no-whole-depot";
    private static final int ASKED = 3;
    private static final int PRINT_OFFSET = 20221;

    private final Path root;
    private final String user;
    private final String password;
    private IOptionsServer server;
    private IClient client;
    private int failed;

    private Steps(String user, String password, Path root) {
        this.user = user;
        this.password = password;
        this.root = root;
    }

    public static void main(String[] arguments) throws Exception {
        String password = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        Steps steps = new Steps(arguments[1], password, Path.of(arguments[2]));
        steps.run(arguments[0]);
        System.exit(steps.failed == 0 ? 0 : 1);
    }

    private void run(String port) {
        step("connect", () -> connect(port));
        step("login", this::login);
        step("template", this::template);
        step("client refused", () -> refused(() -> server.createClient(clientWith("//depot/... //p4java-ws/..."))));
        step("client accepted", this::clientAccepted);
        step("stream refused", () -> refused(() -> server.createStream(streamWith("import ... //depot/..."))));
        step("stream accepted", () -> said(server.createStream(streamWith("share ...")), "saved"));
        step("branch refused", () -> refused(() -> server.createBranchSpec(branchWith("//depot/...", "//thirdparty/..."))));
        step("branch accepted", () -> said(server.createBranchSpec(branchWith("//depot/main/...", "//depot/rel/...")), "saved"));
        step("label refused", () -> refused(() -> server.createLabel(labelWith("//depot/..."))));
        step("label accepted", () -> said(server.createLabel(labelWith("//depot/main/...")), "saved"));
        step("add", this::add);
        step("submit", this::submit);
        step("sync", this::sync);
        step("print", () -> same(TEXT, contents(new GetFileContentsOptions())));
        if (hasPrintOffset()) {
            step("print with offset", this::printWithOffset);
        }
        step("getDirectories", this::directories);
        step("fstat until limited", this::fstatUntilLimited);
        step("disconnect", () -> server.disconnect());
    }

    private interface Step {
        void run() throws Exception;
    }

    private void step(String name, Step step) {
        try {
            step.run();
            System.out.println("ok " + name);
        } catch (Exception | AssertionError wrong) {
            failed++;
            System.out.println("NO " + name + ": " + wrong.toString().replace("\n", " | "));
        }
    }

    private void connect(String port) throws Exception {
        Properties properties = new Properties();
        server = ServerFactory.getOptionsServer("p4java://" + port, properties);
        server.connect();
        holds(server.getServerInfo().getServerVersion().startsWith("P4D/"), "no version of p4d");
    }

    private void login() throws Exception {
        server.setUserName(user);
        server.login(password);
        holds(server.getLoginStatus().contains("ticket expires in"), server.getLoginStatus());
    }

    private void template() throws Exception {
        IClient proposed = server.getClientTemplate("p4java-ws");
        same(user, proposed.getOwnerName());
        holds(proposed.getClientView().getSize() > 1, "a new client maps every depot");
    }

    private IClient clientWith(String line) throws Exception {
        IClient proposed = server.getClientTemplate("p4java-ws", true);
        String[] sides = line.split(" ");
        ClientView view = new ClientView();
        IClientViewMapping entry = new ClientView.ClientViewMapping(0, sides[0], sides[1]);
        view.addEntry(entry);
        proposed.setClientView(view);
        proposed.setRoot(root.toString());
        proposed.setHostName(null);
        return proposed;
    }

    private void clientAccepted() throws Exception {
        said(server.createClient(clientWith("//depot/main/... //p4java-ws/main/...")), "saved");
        client = server.getClient("p4java-ws");
        same("//depot/main/...", client.getClientView().getEntry(0).getLeft());
        server.setCurrentClient(client);
    }

    private IStream streamWith(String path) {
        return Stream.newStream(server, "//streams/p4java", "mainline", null, "p4java", null, null, new String[] {path}, null, null);
    }

    private IBranchSpec branchWith(String from, String to) {
        ViewMap<com.perforce.p4java.core.IBranchMapping> view = new ViewMap<>();
        view.addEntry(new BranchSpec.BranchViewMapping(0, from, to));
        BranchSpec branch = new BranchSpec();
        branch.setName("p4java-branch");
        branch.setOwnerName(user);
        branch.setDescription("A branch of P4Java's.");
        branch.setBranchView(view);
        return branch;
    }

    private ILabel labelWith(String path) {
        ViewMap<com.perforce.p4java.core.ILabelMapping> view = new ViewMap<>();
        view.addEntry(new Label.LabelMapping(0, path));
        Label label = new Label();
        label.setName("p4java-label");
        label.setOwnerName(user);
        label.setDescription("A label of P4Java's.");
        label.setViewMapping(view);
        return label;
    }

    private IChangelist change;

    private void add() throws Exception {
        Path file = root.resolve("main/p4java/hello.txt");
        Files.createDirectories(file.getParent());
        Files.writeString(file, TEXT);
        change = client.createChangelist(Changelist.newChangelist(client, "from P4Java"));
        List<IFileSpec> files = FileSpecBuilder.makeFileSpecList(file.toString());
        List<IFileSpec> added = client.addFiles(files, new AddFilesOptions().setChangelistId(change.getId()));
        valid(added);
        same(FILE, added.get(0).getDepotPathString());
    }

    private void submit() throws Exception {
        change.refresh();
        List<IFileSpec> submitted = change.submit(false);
        valid(submitted);
        holds(submitted.stream().anyMatch(one -> FILE.equals(one.getDepotPathString())), "the file is not told of");
        same("SUBMITTED", server.getChangelist(change.getId()).getStatus().name());
    }

    private void sync() throws Exception {
        Files.delete(root.resolve("main/p4java/hello.txt"));
        List<IFileSpec> files = FileSpecBuilder.makeFileSpecList(FILE);
        valid(client.sync(files, new SyncOptions().setForceUpdate(true)));
        same(TEXT, Files.readString(root.resolve("main/p4java/hello.txt")));
    }

    private String contents(GetFileContentsOptions options) throws Exception {
        options.setNoHeaderLine(true);
        try (InputStream stream = server.getFileContents(FileSpecBuilder.makeFileSpecList(FILE), options)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Tell whether P4Java sends an offset, which it does to a server of 2022.1 and later only. */
    private boolean hasPrintOffset() {
        try {
            return server.getServerVersion() >= PRINT_OFFSET;
        } catch (Exception unknown) {
            return true;
        }
    }

    private void printWithOffset() throws Exception {
        GetFileContentsOptions options = new GetFileContentsOptions();
        options.setOffset(6);
        same(TEXT.substring(6), contents(options));
        options.setSize(4);
        same(TEXT.substring(6, 10), contents(options));
    }

    private void directories() throws Exception {
        List<IFileSpec> paths = FileSpecBuilder.makeFileSpecList("//depot/main/*");
        List<IFileSpec> found = server.getDirectories(paths, new GetDirectoriesOptions());
        valid(found);
        List<String> names = found.stream().map(IFileSpec::getOriginalPathString).toList();
        same(List.of("//depot/main/p4java", "//depot/main/src"), names);
    }

    private void fstatUntilLimited() throws Exception {
        List<IFileSpec> paths = FileSpecBuilder.makeFileSpecList(FILE);
        for (int n = 1; n < ASKED; n++) {
            IExtendedFileSpec found = server.getExtendedFiles(paths, new GetExtendedFilesOptions()).get(0);
            same(FileSpecOpStatus.VALID, found.getOpStatus());
            same(1, found.getHeadRev());
        }
        IExtendedFileSpec limited = server.getExtendedFiles(paths, new GetExtendedFilesOptions()).get(0);
        same(FileSpecOpStatus.ERROR, limited.getOpStatus());
        holds(limited.getStatusMessage().contains("rule=fstat-polling"), limited.getStatusMessage());
    }

    private interface Request {
        Object send() throws Exception;
    }

    private static void refused(Request request) throws Exception {
        try {
            throw new AssertionError("it is accepted: " + request.send());
        } catch (RequestException refusal) {
            String text = refusal.getMessage();
            holds(text.contains(REFUSED) && text.contains("Questions: admins@example.com"), text);
        }
    }

    private static void valid(List<IFileSpec> files) {
        for (IFileSpec file : files) {
            FileSpecOpStatus status = file.getOpStatus();
            holds(status == FileSpecOpStatus.VALID || status == FileSpecOpStatus.INFO, status + " " + file.getStatusMessage());
        }
    }

    private static void said(String answer, String expected) {
        holds(answer != null && answer.contains(expected), answer);
    }

    private static void same(Object expected, Object actual) {
        holds(expected.equals(actual), "expected " + expected + ", not " + actual);
    }

    private static void holds(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// mistakes are command lines that somebody gets wrong, in a folder with the files of mistakenFiles. What is said of
// each stands in testdata/mistakes.txt, with the exit code.
var mistakes = []string{
	"run", "run resnet50 resnet50", "run resnet50 all", "run resnet50 x.yaml", "run resnet50 gone --dry-run",
	"run resnet50 mobilenet --model x.onnx", "run resnet50 --append x.txt", "run resnet50 --append none/x.jsonl",
	"run resnet50 --scenario", "history", "history none", "history folder", "history folder --badge x.csv",
	"run resnet50 --scenario Offlin --dry-run", "run resnet50 --mode fast --dry-run",
	"run resnet50 --backend otr --dry-run", "run resnet50 --backend ort, --dry-run",
	"run resnet50 --backend ort,ort --dry-run", "run resnet50 --rules v9.9 --dry-run",
	"run resnet50 --rules 6.1 --dry-run", "run resnet50 --precision int4 --dry-run",
	"run resnet50 --count many --dry-run", "run resnet50 --count -5 --dry-run",
	"run resnet50 --batch 1.5 --dry-run", "run resnet50 --threads two --dry-run",
	"run resnet50 --repeat 0 --dry-run", "run resnet50 --dataset none --dry-run",
	"run resnet50 --model none.onnx --dry-run", "run resnet50 --user-conf none.conf --dry-run",
	"run resnet50 --user-conf folder --dry-run", "run resnet50 --user-conf broken.conf --dry-run",
	"run resnet50 --audit none --dry-run", "run resnet50 --audit folder --dry-run",
	"run resnet50 --set target_qps --dry-run", "run resnet50 --set target_qpz=5 --dry-run",
	"run resnet50 --set Sever.target_qps=5 --dry-run", "run resnet50 --set target_qps=fast --dry-run",
	"run resnet50 --set Server.target_qps=-5 --dry-run", "run resnet50 --param dtyp=1 --dry-run",
	"run resnet50 --param dtype --dry-run", "run resnet50 --backend-opt threads --dry-run",
	"run resnet50 --backend-secret key=value --dry-run", "run resnet50 --division close --dry-run",
	"run resnet50 --loadgen mine --dry-run", "run resnet50 --pace slow --dry-run",
	"run resnet50 --power watt --dry-run", "run resnet50 --power file:none --dry-run",
	"run resnet50 --power-interval 1 --dry-run", "run resnet50 --power-logs none --dry-run",
	"run resnet50 --target accuracy --dry-run", "run resnet50 --target accurasi=5 --dry-run",
	"run resnet50 --target accuracy=good --dry-run", "run resnet50 --target 75 --dry-run",
	"run resnet50 --target accuracy:75% --dry-run", "run resnet50 --scenario Interactive --dry-run",
	"run resnet50 --mode performance,accuracy --dry-run", "run resnet50 --out= --dry-run", "report text.yaml",
	"report folder --plot latency --png a.jpg --svg a.PNG", "report folder --html a.pdf",
	"report folder --html folder", "run resnet50 --expect none --dry-run",
	"run resnet50 --expect folder --dry-run", "run resnet50 --system none --dry-run",
	"run resnet50 --system text.json --dry-run", "run resnet50 --system-type edg --dry-run",
	"run resnet50 --workspace none --dry-run", "run resnet50 --tuning none.json --dry-run",
	"run resnet50 --tuning text.json --dry-run", "run resnet50 --export queries.xls --dry-run",
	"run resnet50 --fail-if p99 --dry-run", "run resnet50 --fail-if p98>5ms --dry-run",
	"run resnet50 --fail-if p99>5kg --dry-run", "run resnet50 --official --smoke --dry-run",
	"run resnet50 --scorer-model x --dry-run", "run resnet50 --scorer-model none=text.txt --dry-run",
	"run resnet50 --ort-lib none.so --dry-run", "run resnet50 --ort-lib fetched --dry-run",
	"run resnet50 --answer-timeout soon --dry-run", "run resnet50 --answer-timeout -1s --dry-run",
	"run resnet50 --heartbeat-timeout 5 --dry-run", "run resnet50 --plugin none --dry-run",
	"run resnet50 --lock none --dry-run", "run resnet50 --label", "run none.yaml", "run empty.yaml",
	"run text.yaml", "run folder.yaml", "run none.json", "run text.json", "run empty.json", "run RESNET50",
	"run resnet-50", "run llama3", "describe", "describe resnet5", "describe resnet50 mobilenet", "settings",
	"settings resnet5", "settings resnet50 --scenario Ofline", "settings resnet50 --mode accuracy",
	"explain latnecy", "explain ttft tpot", "explain --slo",
	"list models", "list --device", "doctor all", "version please", "fetch", "fetch resnet5",
	"fetch resnet50 --file none", "fetch resnet50 --variant cuda",
	"fetch onnxruntime --release newest --offline", "fetch onnxruntime --from none.whl",
	"fetch onnxruntime --from text.txt", "fetch onnxruntime --from folder",
	"fetch onnxruntime --sha256 abc --from text.txt", "tune", "tune resnet5", "tune resnet50 --try-batch 0",
	"tune resnet50 --try-batch many", "verify", "verify resnet5", "verify ./none",
	"verify resnet50 --only colour", "verify resnet50 --patience 0s", "verify resnet50 --reference otr",
	"score", "score none", "score folder", "score empty", "score text.txt --benchmark resnet5",
	"score text.txt --benchmark resnet50", "report", "report none", "report folder", "report text.txt",
	"report folder --plot latency", "report folder --png a.png", "compare", "compare folder",
	"compare none folder", "compare folder folder", "compare folder folder --allow-unlike colour",
	"compare folder folder --fail-if p99", "rank", "rank folder", "rank none folder", "rank folder folder",
	"rank text.txt folder", "rank folder folder --per gpu", "rank folder folder --division close",
	"rank folder folder --availability soon", "rank folder folder --scenario Serve", "rank folder folder --nodes -1",
	"rank folder folder --html a.csv --csv a.html", "audit", "audit TEST01", "audit TEST99 resnet50",
	"audit all resnet5", "audit verify", "audit verify none", "audit verify folder",
	"audit verify folder --model ssd-resnet34", "audit verify folder --model nobodys",
	"audit seeds resnet50", "audit seeds resnet50 --seeds 1,2", "audit dataset resnet50", "dataset lst",
	"dataset list resnet5", "dataset verify resnet50", "dataset verify resnet50 none",
	"dataset export resnet50", "dataset convert resnet50 repack folder",
	"dataset convert resnet50 repack folder new", "trust none", "trust --all resnet50", "trust --remove",
	"trust --env HOME", "new", "new backend", "new backnd acme",
	"new benchmark acme --language rust", "new suite", "new suite text.yaml", "new suite text.txt",
	"submission ad", "submission add none", "submission add folder", "submission build",
	"submission remove Server", "submission check", "submission check none", "submission check folder",
	"submission check text.txt", "submission check folder --rules v0.1", "submission review",
	"submission review none", "submission review folder", "submission review text.txt", "submission results folder",
	"submission results folder --format xml", "submission report none.csv",
	"submission report none.csv --out r", "submission report empty.csv --out r", "submission pack folder",
	"submission pack folder --out a.tar.gz", "submission pack --unpack none.tar.gz --out n",
	"submission prepare folder", "submission truncate folder", "submission repository none", "submission run",
	"submission run resnet50", "submission plan", "submission plan --model kimi-k3 --c-max many",
	"submission plan --model kimi-k3 --c-max 20", "submission plan --model llama3.1-8b --c-max 64",
	"submission plan none", "submission plan folder", "submission plan empty.yaml", "submission plan text.yaml",
	"completion fissh", "help rum", "-x", "--colour red", "list --color red",
	"help submission ad", "list --plugin-dir none", "list --plugin-dir text.txt", "run resnet50 --batch 0",
	"run resnet50 --sessions 0", "run resnet50 --threads 0", "verify resnet50 --count 0",
	"run resnet50 --dry-run --set Server.target_qps=0",
	"run resnet50 --dry-run --set min_query_count=0 --set min_duration=0", "run resnet", "submission add",
	"submission remove", "submission results", "submission pack", "submission prepare", "submission truncate",
	"submission repository", "submission report", "tune resnet50 --set target_qpz=1", "dataset verify",
	"dataset convert", "audit seeds", "audit dataset", "completion bash zsh",
	"bench", "probe", "bench a b", "bench ftp://host", "bench http://", "probe ftp://host", "bench http://127.0.0.1:1",
	"probe 127.0.0.1:1", "bench x --rate 0", "bench x --concurrency 0", "bench x --concurrency 1..0",
	"bench x --concurrency 10..1", "bench x --concurrency 2.5", "bench x --rate fast", "bench x --isl 0",
	"bench x --isl 1000%", "bench x --osl -1", "bench x --burstiness 2 --rate 1", "bench x --rate 1 --arrival even",
	"bench x --arrival gamma --rate 1", "bench x --think 1s --rate 1", "bench x --replay --rate 1", "bench x --replay",
	"bench x --speed 2", "bench x --max --rate 1", "bench x --ramp 5 --rate 1", "bench x --stages 5",
	"bench x --rate 1,2 --concurrency 1,2", "bench x --slo ttft", "bench x --slo=", "bench x --slo ttft<500",
	"bench x --slo p99_ttf<5ms", "bench x --slo p99<1s", "bench x --slo= --out=",
	"bench x --slo ttft<5ms,ttft<3ms", "bench x --find rate",
	"bench x --find users --slo ttft<1s",
	"bench x --find rate --slo p99_ttft<1s --max", "bench x --sweep --rate 5", "bench x --sweep --find rate",
	"bench x --max-errors many", "bench x --max-errors 0%", "bench x --window some", "bench x --stream maybe",
	"bench x --warmup -2", "bench x --grace -1s", "bench x --retry -1", "bench x --gpus 0", "bench x --fail-if ttft",
	"bench x --users 4", "bench x --qps 4", "bench x --num-prompts 4", "bench x --max-concurrency 4",
	"bench -c 4 x", "bench x -d 30s", "bench x -t 4 -c 8", "bench x -H a:b", "bench --url x", "bench -u x",
	"bench --target x",
	"probe --url x", "bench x --synthetic-input-tokens-mean 128", "bench x --output-tokens-mean 16",
	"bench x --benchmark-duration 30", "bench x --processor gpt2", "bench x --rate-type sweep", "bench x --vus 4",
	"bench x --result-dir out", "bench x --ready-check-timeout-sec 60",
	"bench x -rate 5", "run resnet50 -scenario Offline", "run http://127.0.0.1:1", "run model.onnx", "rnu resnet50",
	"run resnet50 --rules 6.1 --dry-run", "bench x --fail-if ttft.p99>+5%", "bench x --also vlm", "bench x --api chats",
	"bench x --body temperature",
	"bench x --header x", "bench x --lora-order zipf:1", "bench x --prefix half", "bench x --vocabulary 5",
	"bench x --image big", "bench x --turns some", "bench x --history own", "bench x --column prompt",
	"bench x --duration 5", "bench x --requests 0", "bench x --backend-opt url=y", "bench x --backend-opt model=y",
	"bench x --backend-opt retries=3", "bench x --backend-opt keyenv=A", "bench x --requests 5 --max-requests-per-point 9",
	"bench x --rate 0 --isl 0 --gpus 0", "bench x --shard 0/4", "bench x --start-at 5",
	"bench x --shard 4/4 --start-at soon",
	"bench x --shard 0/4 --start-at 2999-01-01 --fail-if failed>1 --also vllm --gpus 8", "bench merge", "bench merge none",
	"bench merge folder empty", "bench merge folder --gpus 0",
}

// mistakenFiles are what command lines name by mistake.
func mistakenFiles(t *testing.T, s *clitest.Shell) {
	t.Helper()
	t.Chdir(s.Dir)
	for _, name := range []string{"empty", "empty.yaml", "empty.json", "empty.csv"} {
		s.File(name, "")
	}
	for _, name := range []string{"text.txt", "text.yaml", "text.json"} {
		s.File(name, "hello\n")
	}
	s.File("broken.conf", "nonsense\n")
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestMistakes says what was found, what is wanted, and what to do, whichever mistake somebody makes. Nothing is
// started, written or left.
func TestMistakes(t *testing.T) {
	s := clitest.New(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mistakenFiles(t, s)
	s.Env["PLUMBLINE_CONFIG"] = filepath.Join(s.Dir, "config")
	before := names(t, s.Dir)
	var b strings.Builder
	for _, line := range mistakes {
		code := s.Run(strings.Fields(line)...)
		said := s.Stderr.String()
		if code != 2 && code != 6 || !strings.HasPrefix(said, "harness: ") || s.Stdout.String() != "" {
			t.Errorf("%s: code %d, want 2 or 6 and a message alone:\n%s%s", line, code, s.Stdout.String(), said)
		}
		fmt.Fprintf(&b, "%s\n%d %s\n", line, code, said)
		if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
			t.Fatalf("%s: a workload was opened", line)
		}
	}
	if after := names(t, s.Dir); strings.TrimSuffix(after, " config") != before {
		t.Errorf("the folder held %s, and now %s", before, after)
	}
	t.Chdir(here)
	testfile.Compare(t, "mistakes", b.String(), s.Plugins, "PLUGINS", s.Dir, "DIR")
}

// names are those in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.Name() != "cache" && e.Name() != "config" {
			all = append(all, e.Name())
		}
	}
	return strings.Join(all, " ")
}

// TestMistakesOfEveryCommand makes the same mistakes with each command, and with each of its flags.
func TestMistakesOfEveryCommand(t *testing.T) {
	s := clitest.New(t)
	mistakenFiles(t, s)
	for _, c := range commands() {
		path := pathOf(c)
		s.Want(2, s.Run(append(path, "--nonsense")...), "unknown flag: --nonsense", c.CommandPath()+" --help")
		s.Want(2, s.Run(append(path, "-%")...), "unknown shorthand flag")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flag := "--" + f.Name
			switch f.Value.Type() {
			case "bool":
				if f.Name != "help-all" {
					s.Want(2, s.Run(append(path, flag+"=perhaps")...), flag+` "perhaps": want true or false`)
				}
				return
			case "int", "int64", "intSlice", "duration", "float64", "uint64":
				s.Want(2, s.Run(append(path, flag, "many")...), flag+` "many": want `)
			}
			s.Want(2, s.Run(append(path, flag)...), flag+": its value is missing: want "+flag+" ")
		})
	}
}

package serving

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/kept"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// serverFlags say which server, and how to talk to it.
type serverFlags struct {
	address string
	model   string
	options bench.Request // its options of a backend alone
}

func (f *serverFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", "", "the model's `NAME` at the server (default: the only one it has)")
	shell.Some(flags, &f.options, "backend-opt", "backend-secret")
	flags.Lookup("backend-opt").Usage = "an option of the connection: `KEY=VALUE` (repeatable): key_env, ca, " +
		"connect_timeout, ...;\nan unknown one is answered with the list"
	flags.Lookup("backend-secret").Usage = "a secret one: `KEY=env:NAME` of an environment variable, or KEY=file:PATH. " +
		"No\nresult, log or list of processes shows it"
}

// probeFlags are the flags of probe.
type probeFlags struct {
	serverFlags
	json bool
}

// benchFlags are the flags of bench.
type benchFlags struct {
	serverFlags
	dataFlags
	loadFlags
	shareFlags
	sweepFlags
	outFlags
}

func (f *benchFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.serverFlags.add(flags)
	f.dataFlags.add(flags)
	f.dataFlags.addAsk(flags)
	f.loadFlags.add(flags)
	f.shareFlags.add(flags)
	f.sweepFlags.add(flags)
	f.outFlags.add(flags)
}

// defaultSeed is what prompts and times are drawn from where nobody says otherwise: two runs ask the same.
const defaultSeed = 1

// dataFlags say which prompts.
type dataFlags struct {
	prompts.PromptOptions
	tokenizer string
	stream    string
}

func (f *dataFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.File, "data", "",
		"prompts of your own: a `FILE` of JSON lines, JSON, CSV, Parquet or text,\ngzipped or not")
	flags.StringVar(&f.Format, "format", "", "what the file is, where name and content do not tell: a `FORM`, "+
		strings.Join(prompts.Formats(), ", "))
	flags.StringArrayVar(&f.Columns, "column", nil,
		"a column, where its name does not tell: `FIELD=NAME`, prompt=question\n(repeatable)")
	flags.StringVar(&f.ISL, "isl", "",
		"`TOKENS` of each prompt: 1024, 1024±100 (normal), 512..2048 (uniform),\ntrace (of the file), or a mixture "+
			"60%:256/64,40%:2048/512 of prompts and\nanswers (default 512, without --data)")
	flags.StringVar(&f.OSL, "osl", "",
		"`TOKENS` of each answer, in the same forms; no fewer, as far as the\nserver can be asked (default 128, without "+
			"--data)")
	flags.StringVar(&f.Prefix, "prefix", "", "prompts begin alike: `SHARE/N`, 0.5/8: half of each is one of 8 prefixes")
	flags.IntVar(&f.Block, "block", 512, "one of a trace's hash_ids stands for so many `TOKENS`")
	flags.StringVar(&f.Vocabulary, "vocabulary", "", "prompts are drawn from the token ids `FIRST..LAST`")
	flags.StringVar(&f.tokenizer, "tokenizer", "",
		"the model's tokenizer, `FILE`: for chats of exact length, and for answers\nthat the server does not count")
	flags.StringVar(&f.Image, "image", "", "pictures in each prompt: `WxH[xN]`, 1024x768x2")
	flags.StringVar(&f.Turns, "turns", "", "`WHICH` turns of conversations are asked: first (default) or all")
	flags.StringVar(&f.History, "history", "",
		"what later turns repeat: `WHOSE` answers, recorded (default) or own, the\nserver's")
	flags.StringVar(&f.PromptOptions.Order, "order", "",
		"`ORDER` of the file's rows: "+strings.Join(prompts.Orders(), ", ")+"\n(the last two as MLPerf Endpoints' client)")
	flags.StringVar(&f.OrderSeed, "order-seed", "", "the `SEED` of those two, 0 to 2^64 - 1 (default 42)")
	flags.StringVar(&f.SaltSeed, "salt-seed", "",
		"a salt from `SEED` between the system's part and the user's of each prompt")
	flags.Uint64Var(&f.PromptOptions.Seed, "seed", defaultSeed, "prompts and times are drawn from `N`")
}

// addAsk adds the flags that say how requests are written.
func (f *dataFlags) addAsk(flags *pflag.FlagSet) {
	f.API = "auto"
	flags.StringVar((*string)(&f.API), "api", "auto",
		"`API`: auto (what fits the prompts), chat, completions, responses,\nembeddings or rerank")
	flags.StringArrayVar(&f.Body, "body", nil,
		"a field of each request: `KEY=JSON` (repeatable); those of a row go over\nit")
	flags.StringSliceVar(&f.LoRA, "lora", nil, "`NAMES` of adapters, asked in turns")
	flags.StringVar(&f.LoRAOrder, "lora-order", "",
		"their `ORDER`: turns (default), or zipf:1.1, the first ones more often")
	flags.StringArrayVar(&f.Header, "header", nil, "a header of each request: `NAME=VALUE` (repeatable)")
	flags.StringVar(&f.Tools, "tools", "", "JSON `FILE` with the tools that a chat may call")
	flags.StringVar(&f.stream, "stream", "on", "`WHETHER` answers come as they are made: on or off")
}

// loadFlags say when requests are sent.
type loadFlags struct {
	arrival.LoadFlags
	warmUp    int
	window    string
	grace     time.Duration
	maxErrors string
	retry     int
	loadgen   bool
}

func (f *loadFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Concurrency, "concurrency", "",
		"so many `USERS`, each of whom waits for the answer (default 16). A sweep:\n"+
			"1,2,4 or 1..256 (powers of two), 1..100/8 (8 "+
			"in equal ratios), 10..50+10")
	flags.StringVar(&f.Rate, "rate", "",
		"so many requests a second, whether or not answers come: `RATE`, or a list\nas above. With --concurrency at most so "+
			"many at a time; waiting counts")
	flags.BoolVar(&f.Max, "max", false, "all at once: the most that the server can do")
	flags.StringVar(&f.Requests, "requests", "", "`N` requests of a point, or until --duration is over")
	flags.StringVar(&f.Duration, "duration", "",
		"`TIME` of a point, or until --requests are done (default: 60s or 100\nrequests, whichever is later, and at most "+
			"10m)")
	flags.StringVar(&f.Arrival, "arrival", "", "requests of a rate come by `HOW`: poisson (default), constant or gamma")
	flags.StringVar(&f.Burstiness, "burstiness", "",
		"shape `K` of --arrival gamma: below 1 in bursts, above 1 more evenly")
	flags.StringVar(&f.Think, "think", "", "`TIME` between an answer and the user's next question")
	flags.StringVar(&f.Ramp, "ramp", "",
		"begin slowly: `FROM:TIME`, from that rate; beside users TIME alone, over\nwhich they come")
	flags.StringVar(&f.Stages, "stages", "", "rates one after the other: `RATE:TIME,...`")
	flags.BoolVar(&f.Replay, "replay", false, "send when the timestamps of --data say")
	flags.StringVar(&f.Speed, "speed", "", "replay `X` times as fast")
	flags.StringVar(&f.From, "from", "", "replay from this `TIME` of the trace on")
	flags.StringVar(&f.To, "to", "", "replay up to this `TIME`")
	flags.IntVar(&f.warmUp, "warmup", -1,
		"`N` requests before, which count in nothing (default: as many as users,\nat least 8)")
	flags.StringVar(&f.window, "window", "",
		"`WHAT` counts of a closed loop: steady (default: while every user has\nsomething to do) or all")
	flags.DurationVar(&f.grace, "grace", serving.DefaultGrace,
		"`TIME` for answers that are under way at the end (after --requests: as long\nas they take, where it is not given)")
	flags.StringVar(&f.maxErrors, "max-errors", "10%", "end a point after so many failures: `N`, or P% of 20 or more")
	flags.IntVar(&f.retry, "retry", 0,
		"ask again up to `N` times after 429 and 503; times go on from when the\nrequest was due")
	flags.BoolVar(&f.loadgen, "loadgen", false,
		"LoadGen sends, judges and logs: --max (Offline), --rate (Server) and one\nuser (SingleStream). Its tests end with "+
			"the first failure")
}

// sweepFlags say which points, and what is good enough.
type sweepFlags struct {
	sweep   bool
	slo     string
	find    string
	most    int
	gpus    int
	failIfs []string
	// Pages of what the server, and its accelerators, tell of themselves.
	serverMetrics, gpuMetrics string
	power                     string // a meter's description
	powerInterval             time.Duration
}

func (f *sweepFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.sweep, "sweep", false, "one user, the maximum, rates between them, and more where the curve bends")
	flags.StringVar(&f.slo, "slo", "",
		"what is good enough: `LIMITS` such as 'p99 ttft < 500ms, p99 tpot < 30ms,\nattainment >= 99%, failed < 0.1%'; "+
			"goodput is of requests within them")
	flags.StringVar(&f.find, "find", "", "look for the highest `LOAD` that keeps --slo: rate or concurrency")
	flags.IntVar(&f.most, "max-requests-per-point", 0,
		"`N` requests of a trial of --find at most (default: as many as come in the\ntime of a point); one of p99 needs 100")
	gpusFlag(flags, &f.gpus)
	flags.StringVar(&f.serverMetrics, "server-metrics", "",
		"`URL` of the server's own metrics (default: /metrics there, if it is;\noff: none)")
	flags.StringVar(&f.gpuMetrics, "gpu-metrics", "",
		"`URL` of the metrics of a DCGM exporter: what the accelerators draw")
	shell.MeterFlags(flags, &f.power, &f.powerInterval, "each point")
	shell.FailIfFlag(flags, &f.failIfs, "'ttft.p99 > 500ms',\n'goodput < 5', of any point; repeatable")
}

func gpusFlag(flags *pflag.FlagSet, gpus *int) {
	flags.IntVar(gpus, "gpus", 0, "`N` accelerators that the server has: figures for each stand beside")
}

// outFlags say what becomes of what is measured.
type outFlags struct {
	out, label, note    string
	force               bool
	also                []string
	dryRun, quiet, json bool
}

func (f *outFlags) add(flags *pflag.FlagSet) {
	f.addKept(flags, "bench-1, or bench-2, ... where that is another's")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be asked, and ask nothing")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress, only the table")
}

// addKept adds those that say where results are kept and how they are shown; folder is the one without --out.
func (f *outFlags) addKept(flags *pflag.FlagSet, folder string) {
	flags.StringVar(&f.out, "out", "", "output `DIR` (default "+folder+")")
	flags.BoolVar(&f.force, "force", false, "replace what the output directory holds")
	flags.StringVar(&f.label, "label", "", "what to call this server where several are shown: a `TEXT`")
	flags.StringVar(&f.note, "note", "", "a remark `TEXT` for the results")
	flags.StringSliceVar(&f.also, "also", nil, "write each point as another tool does, too: `LAYOUT,...` "+
		strings.Join(kept.LayoutNames(), ", "))
	flags.BoolVar(&f.json, "json", false, "print the sweep as JSON instead of the table")
}

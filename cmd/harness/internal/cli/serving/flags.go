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
	maxWait time.Duration // for a server that is not ready yet
	waited  time.Duration // until it was; 0: it was ready at once
}

func (f *serverFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", "", "the model's `NAME` at the server (default: the only one it has)")
	flags.DurationVar(&f.maxWait, "wait", 0,
		"wait up to `DURATION` until the server is ready, such as 10m (default: ask\nonce)")
	shell.Some(flags, &f.options, "backend-opt", "backend-secret")
	flags.Lookup("backend-opt").Usage = "an option of the connection: `KEY=VALUE` (repeatable): key_env, ca, " +
		"connect_timeout, ...;\nan unknown one lists all"
	flags.Lookup("backend-secret").Usage = "a secret one: `KEY=env:NAME` for an environment variable, or KEY=file:PATH. " +
		"Results,\nlogs and process lists do not show it"
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

func (f *benchFlags) addFlags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.serverFlags.addFlags(flags)
	f.dataFlags.addFlags(flags)
	f.dataFlags.addAsk(flags)
	f.loadFlags.addFlags(flags)
	f.shareFlags.addFlags(flags)
	f.sweepFlags.addFlags(flags)
	f.outFlags.addFlags(flags)
}

// defaultSeed is the seed of prompts and times: by default two runs send the same requests.
const defaultSeed = 1

// dataFlags say which prompts.
type dataFlags struct {
	prompts.PromptOptions
	tokenizer string
	stream    string
}

func (f *dataFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.File, "data", "",
		"your own prompts: a `FILE` of JSON lines, JSON, CSV, Parquet or text,\ngzipped or not")
	flags.StringVar(&f.Format, "format", "", "form of the file, if name and content do not show it: `FORM`, "+
		strings.Join(prompts.Formats(), ", "))
	flags.StringArrayVar(&f.Columns, "column", nil,
		"name of a column, if it is not obvious: `FIELD=NAME`, prompt=question\n(repeatable)")
	flags.StringVar(&f.ISL, "isl", "",
		"`TOKENS` of each prompt: 1024, 1024±100 (normal), 512..2048 (uniform),\ntrace (of the file), or a mixture "+
			"60%:256/64,40%:2048/512 of prompts and\nanswers (default 512, without --data)")
	flags.StringVar(&f.OSL, "osl", "",
		"`TOKENS` of each answer, in the same forms; no fewer, if the server\nsupports that (default 128, without --data)")
	flags.StringVar(&f.Prefix, "prefix", "",
		"common beginnings of prompts: `SHARE/N`; 0.5/8: half of each is one of 8\nprefixes")
	flags.IntVar(&f.Block, "block", 512, "`TOKENS` that each of a trace's hash_ids represents")
	shell.SetMin(flags, "block", 1, "")
	flags.StringVar(&f.Vocabulary, "vocabulary", "", "prompts are drawn from the token ids `FIRST..LAST`")
	flags.StringVar(&f.tokenizer, "tokenizer", "",
		"tokenizer `FILE` of the model: for chats of exact length, and for answers\nthat the server does not count")
	flags.StringVar(&f.Image, "image", "", "pictures in each prompt: `WxH[xN]`, 1024x768x2")
	flags.StringVar(&f.Turns, "turns", "", "`WHICH` turns of conversations are asked: first (default) or all")
	flags.StringVar(&f.History, "history", "",
		"answers in the history of later turns: `WHOSE`, recorded (default) or own\n(the server's)")
	flags.StringVar(&f.PromptOptions.Order, "order", "",
		"`ORDER` of the file's rows: "+strings.Join(prompts.Orders(), ", ")+"\n(the last two as in MLPerf Endpoints' client)")
	flags.StringVar(&f.OrderSeed, "order-seed", "", "the `SEED` of those two, 0 to 2^64 - 1 (default 42)")
	flags.StringVar(&f.SaltSeed, "salt-seed", "",
		"insert a salt from `SEED` between the system's and the user's part of each\nprompt")
	flags.Uint64Var(&f.PromptOptions.Seed, "seed", defaultSeed, "seed `N` of prompts and times")
}

// addAsk adds the flags that say how requests are written.
func (f *dataFlags) addAsk(flags *pflag.FlagSet) {
	f.API = "auto"
	flags.StringVar((*string)(&f.API), "api", "auto",
		"`API`: auto (what fits the prompts), chat, completions, responses,\nembeddings or rerank")
	flags.StringArrayVar(&f.Body, "body", nil,
		"a field of each request: `KEY=JSON` (repeatable); fields of a row override\nit")
	flags.StringSliceVar(&f.LoRA, "lora", nil, "`NAMES` of adapters, used in turns")
	flags.StringVar(&f.LoRAOrder, "lora-order", "",
		"their `ORDER`: turns (default), or zipf:1.1, the first ones more often")
	flags.StringArrayVar(&f.Header, "header", nil, "a header of each request: `NAME=VALUE` (repeatable)")
	flags.StringVar(&f.Tools, "tools", "", "JSON `FILE` with the tools that a chat may call")
	flags.StringVar(&f.stream, "stream", "on", "`WHETHER` answers are streamed: on or off")
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

func (f *loadFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.Concurrency, "concurrency", "",
		"number of `USERS` who each wait for the answer (default "+serving.DefaultUsers+"). A sweep:\n"+
			"1,2,4 or 1..256 (powers of two), 1..100/8 (8 "+
			"in equal ratios), 10..50+10")
	flags.StringVar(&f.Rate, "rate", "",
		"requests a second, whether or not answers come: `RATE`, or a list as\nabove. --concurrency limits requests in "+
			"flight; waiting counts")
	flags.BoolVar(&f.Max, "max", false, "all requests at once: the maximum of the server")
	flags.StringVar(&f.Requests, "requests", "", "`N` requests for each point, or until --duration ends")
	flags.StringVar(&f.Duration, "duration", "",
		"`TIME` for each point, or until --requests are done (default: 60s or 100\nrequests, whichever is later, up to 10m)")
	flags.StringVar(&f.Arrival, "arrival", "", "arrivals of a rate: `HOW`, poisson (default), constant or gamma")
	flags.StringVar(&f.Burstiness, "burstiness", "",
		"shape `K` of --arrival gamma: below 1 in bursts, above 1 more evenly")
	flags.StringVar(&f.Think, "think", "", "`TIME` between an answer and the user's next question")
	flags.StringVar(&f.Ramp, "ramp", "",
		"begin slowly: `FROM:TIME`, from that rate; with users only TIME, over which\nthey start")
	flags.StringVar(&f.Stages, "stages", "", "rates one after the other: `RATE:TIME,...`")
	flags.BoolVar(&f.Replay, "replay", false, "send when the timestamps of --data say")
	flags.StringVar(&f.Speed, "speed", "", "replay `X` times as fast")
	flags.StringVar(&f.From, "from", "", "start the replay at this `TIME` of the trace")
	flags.StringVar(&f.To, "to", "", "replay up to this `TIME`")
	flags.IntVar(&f.warmUp, "warmup", -1,
		"`N` requests before the measurement, excluded from all figures (default: as\nmany as users, at least 8)")
	shell.SetMin(flags, "warmup", 0, "a number of requests, or 0 for none")
	flags.StringVar(&f.window, "window", "",
		"part of a closed loop that counts: `WHAT`, steady (default: while every\nuser has something to do) or all")
	flags.DurationVar(&f.grace, "grace", serving.DefaultGrace,
		"`TIME` to wait for answers in flight at the end (after --requests, if it is\nnot given, as long as they take)")
	shell.SetMin(flags, "grace", 0, "a time from 0 on")
	flags.StringVar(&f.maxErrors, "max-errors", "10%", "end a point after `N` failures, or P% of 20 or more")
	flags.IntVar(&f.retry, "retry", 0,
		"retry up to `N` times after 429 and 503; times still count from when the\nrequest was due")
	shell.SetMin(flags, "retry", 0, "")
	flags.BoolVar(&f.loadgen, "loadgen", false,
		"let LoadGen send, judge and log: --max (Offline), --rate (Server) and one\nuser (SingleStream). The first failure "+
			"ends its tests")
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

func (f *sweepFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&f.sweep, "sweep", false,
		"measure one user, the maximum, rates between them, and more where the curve\nbends")
	flags.StringVar(&f.slo, "slo", "",
		"objectives: `LIMITS` such as 'p99 ttft < 500ms, p99 tpot < 30ms,\nattainment >= 99%, failed < 0.1%'; "+
			"goodput counts requests within them")
	flags.StringVar(&f.find, "find", "", "search for the highest `LOAD` that meets --slo: rate or concurrency")
	flags.IntVar(&f.most, "max-requests-per-point", 0,
		"limit each trial of --find to `N` requests (default: those in the time of a\npoint); p99 needs 100")
	shell.SetMin(flags, "max-requests-per-point", 1, "")
	gpusFlag(flags, &f.gpus)
	flags.StringVar(&f.serverMetrics, "server-metrics", "",
		"`URL` of the server's own metrics (default: its /metrics, if it has them;\noff: do not read them)")
	flags.StringVar(&f.gpuMetrics, "gpu-metrics", "",
		"`URL` of a DCGM exporter's metrics: power of the accelerators")
	shell.MeterFlags(flags, &f.power, &f.powerInterval, "each point")
	shell.FailIfFlag(flags, &f.failIfs, "'ttft.p99 > 500ms',\n'goodput < 5', of any point; repeatable")
}

func gpusFlag(flags *pflag.FlagSet, gpus *int) {
	flags.IntVar(gpus, "gpus", 0, "the server has `N` accelerators: also show figures per accelerator")
	shell.SetMin(flags, "gpus", 1, "")
}

// outFlags say what becomes of what is measured.
type outFlags struct {
	out, label, note    string
	force               bool
	also                []string
	dryRun, quiet, json bool
}

func (f *outFlags) addFlags(flags *pflag.FlagSet) {
	f.addKept(flags, "bench-1, or bench-2, ... if that contains another one")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the requests without sending them")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress, only the table")
}

// addKept adds those that say where results are kept and how they are shown; folder is the one without --out.
func (f *outFlags) addKept(flags *pflag.FlagSet, folder string) {
	flags.StringVar(&f.out, "out", "", "output `DIR` (default "+folder+")")
	flags.BoolVar(&f.force, "force", false, "replace the contents of the output directory")
	flags.StringVar(&f.label, "label", "", "name of this server in reports and comparisons: `TEXT`")
	flags.StringVar(&f.note, "note", "", "a remark `TEXT` for the results")
	flags.StringSliceVar(&f.also, "also", nil, "also write each point in the form of another tool: `LAYOUT,...` "+
		strings.Join(kept.LayoutNames(), ", "))
	flags.BoolVar(&f.json, "json", false, "print the sweep as JSON instead of the table")
}

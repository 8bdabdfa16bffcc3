package serving

import (
	"fmt"
	"strconv"
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

// serverFlags selects the server and the connection.
type serverFlags struct {
	address string
	model   string
	options bench.Request // only its backend options are used
	maxWait time.Duration // for a server that is not ready yet
	waited  time.Duration // time until the server was ready; 0: at once
}

func (f *serverFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", "", "the model's `NAME` at the server (default: its only model)")
	flags.DurationVar(&f.maxWait, "wait", 0,
		"wait up to `DURATION` until the server is ready, such as 10m (default: ask\nonce)")
	shell.AddFlags(flags, &f.options, "backend-opt", "backend-secret")
	flags.Lookup("backend-opt").Usage = "an option of the connection: `KEY=VALUE`, such as key_env, " +
		"ca,\nconnect_timeout (repeatable); an unknown KEY lists all"
	flags.Lookup("backend-secret").Usage = "a secret option: `KEY=env:NAME` for an environment variable, or " +
		"KEY=file:PATH. " +
		"Results,\nlogs and process lists do not show it"
}

// probeFlags contains the flags of probe.
type probeFlags struct {
	serverFlags
	json bool
}

// benchFlags contains the flags of bench.
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

// defaultSeed is the default seed of prompts and times, so that two runs send the same requests.
const defaultSeed = 1

// dataFlags selects the prompts.
type dataFlags struct {
	prompts.PromptOptions
	tokenizer string
	stream    string
}

func (f *dataFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.File, "data", "",
		"your own prompts: a `FILE` of JSON lines, JSON, CSV, Parquet or text,\ngzipped or not")
	flags.StringVar(&f.Format, "format", "", "`FORM` of the file, if its name and content do not identify it: "+
		strings.Join(prompts.Formats(), ", "))
	flags.StringArrayVar(&f.Columns, "column", nil,
		"use a column as a field: `FIELD=NAME`, such as prompt=question\n(repeatable)")
	flags.StringVar(&f.ISL, "isl", "",
		"`TOKENS` of each prompt: 1024, 1024±100 (normal), 512..2048 (uniform),\ntrace (of the file), or a mixture "+
			"60%:256/64,40%:2048/512 of prompts and\nanswers (default 512, without --data)")
	flags.StringVar(&f.OSL, "osl", "",
		"`TOKENS` of each answer, in the same forms; no fewer, if the server\nsupports that (default 128, without --data)")
	flags.StringVar(&f.Prefix, "prefix", "",
		"common prefixes: `SHARE/N`; with 0.5/8, half of each prompt is one of 8\nprefixes")
	flags.IntVar(&f.Block, "block", 512, "`TOKENS` per entry of a trace's hash_ids")
	shell.SetMin(flags, "block", 1, "")
	flags.StringVar(&f.Vocabulary, "vocabulary", "", "draw prompts from the token ids `FIRST..LAST`")
	flags.StringVar(&f.tokenizer, "tokenizer", "",
		"tokenizer `FILE` of the model: for chats of exact length, and for answers\nthat the server does not count")
	flags.StringVar(&f.Image, "image", "", "add pictures to each prompt: `WxH[xN]`, such as 1024x768x2")
	flags.StringVar(&f.Turns, "turns", "", "`WHICH` turns of conversations to send: first (default) or all")
	flags.StringVar(&f.History, "history", "",
		"`WHOSE` answers form the history of later turns: recorded (default) or\nown (the server's)")
	flags.StringVar(&f.PromptOptions.Order, "order", "",
		"`ORDER` of the file's rows: "+strings.Join(prompts.Orders(), ", ")+"\n(the last two as in MLPerf Endpoints' client)")
	flags.StringVar(&f.OrderSeed, "order-seed", "", "`SEED` of the last two orders, 0 to 2^64 - 1 (default 42)")
	flags.StringVar(&f.SaltSeed, "salt-seed", "",
		"insert a salt from `SEED` between the system's and the user's part of each\nprompt")
	flags.Uint64Var(&f.PromptOptions.Seed, "seed", defaultSeed, "seed `N` for the prompts and the request times")
}

// addAsk adds the flags for the form of requests.
func (f *dataFlags) addAsk(flags *pflag.FlagSet) {
	f.API = "auto"
	flags.StringVar((*string)(&f.API), "api", "auto",
		"`API`: auto (the one that fits the prompts), chat, completions, responses,\nembeddings or rerank")
	flags.StringArrayVar(&f.Body, "body", nil,
		"set a field of each request: `KEY=JSON` (repeatable); fields of a row\noverride it")
	flags.StringSliceVar(&f.LoRA, "lora", nil, "`NAMES` of adapters, used in turn")
	flags.StringVar(&f.LoRAOrder, "lora-order", "",
		"`ORDER` of the adapters: turns (default), or zipf:1.1 (the first ones more often)")
	flags.StringArrayVar(&f.Header, "header", nil, "set a header of each request: `NAME=VALUE` (repeatable)")
	flags.StringVar(&f.Tools, "tools", "", "JSON `FILE` with the tools that a chat may call")
	flags.StringVar(&f.stream, "stream", "on", "`WHETHER` to stream answers: on or off")
}

// loadFlags selects the times of requests.
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
		"number of `USERS` who each wait for their answers (default "+serving.DefaultUsers+"). For a sweep:\n"+
			"1,2,4 or 1..256 (powers of two), 1..100/8 (8 "+
			"in equal ratios), 10..50+10")
	flags.StringVar(&f.Rate, "rate", "",
		"send `RATE` requests per second without waiting for answers; also a list\nas above. --concurrency limits "+
			"requests in flight, and time spent\nwaiting counts")
	flags.BoolVar(&f.Max, "max", false, "send all requests at once, to find the server's maximum")
	flags.StringVar(&f.Requests, "requests", "", "`N` requests for each point, or until --duration ends")
	flags.StringVar(&f.Duration, "duration", "",
		"`TIME` for each point, or until --requests are done (default: 60s or 100\nrequests, whichever is later, up to 10m)")
	flags.StringVar(&f.Arrival, "arrival", "", "`HOW` the requests of a rate arrive: poisson (default), constant or gamma")
	flags.StringVar(&f.Burstiness, "burstiness", "",
		"shape `K` of --arrival gamma: bursts below 1, more even above 1")
	flags.StringVar(&f.Think, "think", "", "`TIME` between an answer and the user's next question")
	flags.StringVar(&f.Ramp, "ramp", "",
		"start slowly: `FROM:TIME` begins at the rate FROM; for users, TIME is\nthe period over which they start")
	flags.StringVar(&f.Stages, "stages", "", "use several rates in sequence: `RATE:TIME,...`")
	flags.BoolVar(&f.Replay, "replay", false, "send at the timestamps of --data")
	flags.StringVar(&f.Speed, "speed", "", "replay `X` times as fast")
	flags.StringVar(&f.From, "from", "", "start the replay at this `TIME` of the trace")
	flags.StringVar(&f.To, "to", "", "replay up to this `TIME`")
	flags.IntVar(&f.warmUp, "warmup", -1,
		"send `N` requests before the measurement, excluded from all figures (default: as\nmany as users, at least 8)")
	shell.SetMin(flags, "warmup", 0, "a number of requests, or 0 for none")
	flags.StringVar(&f.window, "window", "",
		"part of a closed loop that counts: `WHAT` is steady (default: while\nevery user is active) or all")
	flags.DurationVar(&f.grace, "grace", serving.DefaultGrace,
		"`TIME` to wait for answers in flight at the end (by default unlimited\nwith --requests)")
	shell.SetMin(flags, "grace", 0, "a time from 0 on")
	flags.StringVar(&f.maxErrors, "max-errors", "10%", "end a point after `N` failures, or P% of 20 or more")
	flags.IntVar(&f.retry, "retry", 0,
		"retry up to `N` times after 429 and 503; times still count from when the\nrequest was due")
	shell.SetMin(flags, "retry", 0, "")
	flags.BoolVar(&f.loadgen, "loadgen", false,
		"let LoadGen send, judge and log: --max (Offline), --rate (Server) and\none user (SingleStream). The first "+
			"failure ends a test")
}

// sweepFlags selects the points and their objectives.
type sweepFlags struct {
	sweep   bool
	slo     string
	find    string
	most    int
	gpus    int
	price   hourPrice
	failIfs []string
	// URLs of the metrics of the server and of its accelerators.
	serverMetrics, gpuMetrics string
	power                     string // description of a power meter
	powerInterval             time.Duration
}

func (f *sweepFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&f.sweep, "sweep", false,
		"measure one user, the maximum, rates in between, and more points at the\nbend of the curve")
	flags.StringVar(&f.slo, "slo", "",
		"objectives: `LIMITS` such as 'p99 ttft < 500ms, p99 tpot < 30ms,\nattainment >= 99%, failed < 0.1%'; "+
			"goodput counts requests within these LIMITS")
	flags.StringVar(&f.find, "find", "", "search for the highest `LOAD` that meets --slo: rate or concurrency")
	flags.IntVar(&f.most, "max-requests-per-point", 0,
		"limit each trial of --find to `N` requests (default: as many as fit in a\npoint's time); p99 requires 100")
	shell.SetMin(flags, "max-requests-per-point", 1, "")
	addGPUsFlag(flags, &f.gpus)
	addPriceFlag(flags, &f.price)
	flags.StringVar(&f.serverMetrics, "server-metrics", "",
		"`URL` of the server's own metrics (default: its /metrics, if available;\noff: do not read metrics)")
	flags.StringVar(&f.gpuMetrics, "gpu-metrics", "",
		"`URL` of a DCGM exporter, for the power of the accelerators")
	shell.AddMeterFlags(flags, &f.power, &f.powerInterval, "each point")
	shell.AddFailIfFlag(flags, &f.failIfs, "'ttft.p99 > 500ms',\n'goodput < 5', of any point; repeatable")
}

func addGPUsFlag(flags *pflag.FlagSet, gpus *int) {
	flags.IntVar(gpus, "gpus", 0, "the server has `N` accelerators: also show figures per accelerator")
	shell.SetMin(flags, "gpus", 1, "")
}

func addPriceFlag(flags *pflag.FlagSet, price *hourPrice) {
	flags.Var(price, "price",
		"an hour of the server costs `PRICE`, in any currency: also show the cost of a\nmillion tokens")
}

// hourPrice is the price of an hour of a server; 0: unknown.
type hourPrice float64

// Set implements pflag.Value.
func (p *hourPrice) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v <= 1e12) {
		return fmt.Errorf("%q is not a price: want a number above 0, such as 2.50", text)
	}
	*p = hourPrice(v)
	return nil
}

// String implements pflag.Value.
func (p *hourPrice) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*p), 'f', -1, 64)
}

// Type implements pflag.Value.
func (*hourPrice) Type() string { return "price" }

// outFlags selects the output.
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

// addKept adds the flags for the storage and display of results. folder is the default of --out.
func (f *outFlags) addKept(flags *pflag.FlagSet, folder string) {
	flags.StringVar(&f.out, "out", "", "output `DIR` (default "+folder+")")
	flags.BoolVar(&f.force, "force", false, "replace the contents of the output directory")
	flags.StringVar(&f.label, "label", "", "use `TEXT` as the server's name in reports and comparisons")
	flags.StringVar(&f.note, "note", "", "add the remark `TEXT` to the results")
	flags.StringSliceVar(&f.also, "also", nil, "also write each point in the `LAYOUT,...` of other tools: "+
		strings.Join(kept.FormatNames(), ", "))
	flags.BoolVar(&f.json, "json", false, "print the sweep as JSON instead of the table")
}

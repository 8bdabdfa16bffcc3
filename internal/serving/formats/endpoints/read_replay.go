package endpoints

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// IsReplay says that a configuration of endpoints asks for recorded conversations.
func IsReplay(text []byte) bool {
	root, err := mapping(text)
	return err == nil && section{configured: &configured{Asked: &Asked{}}, keys: root}.replays()
}

// replays says that a configuration is of recorded conversations.
func (s section) replays() bool {
	settings, _ := s.keys["settings"].(map[string]any)
	pattern, _ := settings["load_pattern"].(map[string]any)
	return pattern["type"] == replayPattern
}

// replay reads a configuration of recorded conversations, which harness run replays: the flags are that command's.
func (c *configured) replay(s section) {
	c.Replays = true
	s.knows(rootKeys)
	s.absent("harness submission makes those; take it out", "submission_ref", "benchmark_mode", "audit")
	s.absent("max_duration_ms bounds a replay; take it out", "timeout")
	s.ignores("version", "type", "name", "verbose", "enable_cpu_affinity")
	e := s.in("endpoint_config", "endpoints", "api_key", "api_type")
	c.endpoint(e)
	if c.api != "chat" {
		e.fault(e.at("api_type"), "conversations are chats: want openai")
	}
	c.flag("--backend", "openai", "--backend-opt", "url="+c.Address)
	c.key(e)
	c.replayModel(s.in("model_params", modelKeys...))
	c.replayData(s)
	c.replaySettings(s.in("settings", settingsKeys...))
	if out := s.text("report_dir"); out != "" {
		c.flag("--out", out)
	}
}

// replayModel reads what each request has: what the benchmark has a parameter for, and other fields of the body.
func (c *configured) replayModel(s section) {
	if name := s.text("name"); name != "" {
		c.flag("--backend-opt", "model="+name)
	} else {
		s.fault(s.at("name"), "want the model's name at the server")
	}
	for _, key := range []string{keyTemperature, keySeed, keyMostTokens} {
		if n, ok := s.number(key, 0, key != keyTemperature); ok {
			c.Params = append(c.Params, Param{key, plain(n)})
		}
	}
	for _, key := range []string{"top_k", "top_p", "repetition_penalty", "presence_penalty", "frequency_penalty"} {
		if n, ok := s.number(key, -2, key == "top_k"); ok {
			c.flag("--backend-opt", "body."+key+"="+plain(n))
		}
	}
	if v := s.keys["chat_template_kwargs"]; v != nil {
		text, err := json.Marshal(v)
		if _, ok := v.(map[string]any); !ok || err != nil {
			s.fault(s.at("chat_template_kwargs"), "%s, want a mapping", shown(v))
		}
		c.flag("--backend-opt", "body.chat_template_kwargs="+string(text))
	}
	if stream := s.text("streaming"); !slices.Contains([]string{"", "auto", "on"}, stream) {
		s.fault(s.at("streaming"), "%s: answers of a replay are streamed; want on", stream)
	}
	s.absent("a replay has nothing like it; take it out", "min_new_tokens", "skip_special_tokens", "osl_distribution")
	s.ignores("tokenizer_name")
}

// replayData reads the conversations, and the questions of the accuracy where there is a file of them.
func (c *configured) replayData(s section) {
	measured, mode := 0, "performance"
	for d := range c.datasets(s) {
		file := d.text("path")
		switch kind := d.text("type"); {
		case kind == "accuracy" && file != "":
			c.flag("--accuracy-dataset", file)
			mode = "submission" // both
		case kind == "accuracy":
			c.Notes = append(c.Notes, d.path+": it has no path, and is not asked; want path: the folder of its files, or "+
				"harness run with --mode accuracy --accuracy-dataset DIR")
		case kind == "" || kind == "performance":
			if measured++; file == "" {
				d.fault(d.at("path"), "%s: want the file of the conversations", shown(d.text("name")))
			}
			c.flag("--dataset", file)
			c.replayTurns(d.in("agentic_inference", keyTimeout, "enable_salt", "inject_tool_delay", "routing_headers",
				"num_trajectories_to_issue", "stop_issuing_on_first_user_complete"))
		default:
			d.fault(d.at("type"), "%s, want performance or accuracy", shown(kind))
		}
	}
	if measured != 1 {
		s.fault("datasets", "%d of type performance, want one", measured)
	}
	c.flag("--mode", mode)
}

// replayTurns reads how turns follow each other.
func (c *configured) replayTurns(s section) {
	if n, ok := s.number(keyTimeout, 1, true); ok {
		c.Params = append(c.Params, Param{keyTimeout, plain(n)})
	}
	if s.truth("enable_salt", false) {
		s.fault(s.at("enable_salt"), "true: texts are sent as they are recorded; want false")
	}
	if s.truth("inject_tool_delay", false) {
		s.fault(s.at("inject_tool_delay"), "true: the next turn goes out when the answer has come; want false")
	}
	if v := s.keys["routing_headers"]; v != nil && fmt.Sprint(v) != "[X-Session-ID]" {
		s.fault(s.at("routing_headers"), "%v: each turn has X-Session-ID alone", v)
	}
	if n, ok := s.number("num_trajectories_to_issue", 1, true); ok {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: all conversations of the file are replayed, each once: %v of them are "+
			"wanted", s.at("num_trajectories_to_issue"), n))
	}
	s.ignores("stop_issuing_on_first_user_complete")
}

// replaySettings reads seeds and how long it lasts, which are settings of the run.
func (c *configured) replaySettings(s section) {
	p := s.in("load_pattern", loadKeys...)
	if n, ok := p.number("target_concurrency", 1, true); ok && n != 1 {
		p.fault(p.at("target_concurrency"), "%v: turns go out one at a time; want 1", n)
	}
	p.absent("a replay has no rate; take it out", "target_qps")
	p.ignores("use_legacy_loadgen_qps_metrics")
	r := s.in("runtime", runtimeKeys...)
	least, most := r.millis("min_duration_ms", lasts), r.millis("max_duration_ms", endless)
	if most != endless && most < least {
		r.fault(r.at("max_duration_ms"), "%v ms, want no less than min_duration_ms, %v", most, least)
	}
	c.flag("--set", "min_duration="+plain(least), "--set", "max_duration="+plain(most))
	c.flag("--set", "schedule_rng_seed="+r.seed("scheduler_random_seed"))
	c.flag("--set", "sample_index_rng_seed="+r.seed("dataloader_random_seed"))
	r.absent("all turns of the conversations are asked; take it out", "n_samples_to_issue")
	w := s.in("warmup", warmupKeys...)
	if w.truth("enabled", false) {
		w.fault(w.at("enabled"), "true: a replay has no warm-up of requests; want false")
	}
	client := s.in("client", clientKeys...)
	if client.truth("insecure", false) {
		c.flag("--backend-opt", "insecure=true")
	}
	for _, key := range []string{"num_workers", "max_connections"} {
		if n, ok := client.number(key, -1, true); ok && n > 1 {
			client.fault(client.at(key), "%v: turns go out one at a time; want 1", n)
		}
	}
	client.ignores(slices.DeleteFunc(slices.Sorted(maps.Keys(client.keys)), func(key string) bool {
		return key == "insecure" || key == "num_workers" || key == "max_connections"
	})...)
	s.in("profiling", "engine", "urls").absent(notHere, "engine", "urls")
	s.ignores("drain", "early_stopping", "service_ready_timeout_s")
}

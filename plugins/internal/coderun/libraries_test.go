package coderun

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/programs"
)

// TestLibrariesPython: what programs of models import works within the walls, but for what the official checkers take
// away. Where an interpreter lacks a library, the program passes.
func TestLibrariesPython(t *testing.T) {
	r := runner(t, false)
	for name, source := range map[string]string{
		"asyncio": "import asyncio\nasync def g():\n  await asyncio.sleep(0.001)\n  return 7\n" +
			"async def h(): return await asyncio.gather(g(), g())\ndef f(x): return sum(asyncio.run(h())) - 7",
		"threads": "from concurrent.futures import ThreadPoolExecutor\ndef f(x):\n" +
			"  with ThreadPoolExecutor(4) as p: return sum(p.map(lambda v: v, [1, 2, 4]))",
		"temporary": "import tempfile\ndef f(x):\n" +
			"  with tempfile.TemporaryFile() as t: t.write(b'7'); t.seek(0); return int(t.read())",
		"files": "import os, pathlib, shutil, glob\ndef f(x):\n" +
			"  p = pathlib.Path('a'); p.write_text('7'); shutil.copyfile('a', 'b')\n" +
			"  os.makedirs('c/d'); os.symlink('../a', 'c/l'); os.utime('b'); assert [e.name for e in os.scandir('c')]\n" +
			"  assert sorted(glob.glob('*')) >= ['a', 'b', 'c']; return int(pathlib.Path('c/l').read_text())",
		"memory": "import mmap\ndef f(x):\n  m = mmap.mmap(-1, 4096); m[:1] = b'7'; return int(m[:1])",
		"zones": "from datetime import *\nfrom zoneinfo import *\ndef f(x):\n" +
			"  try: z = ZoneInfo('Europe/Berlin')\n" + "  except ZoneInfoNotFoundError: return 7\n" +
			"  return datetime(2024, 7, 1, 5, tzinfo=timezone.utc).astimezone(z).hour",
		"a database": "import sqlite3\ndef f(x):\n  c = sqlite3.connect('d'); c.execute('create table t (v)')\n" +
			"  c.execute('insert into t values (7)'); c.commit(); return c.execute('select v from t').fetchone()[0]",
		"sockets": "import socket\ndef f(x):\n  a, b = socket.socketpair(); a.sendall(b'7'); return int(b.recv(1))",
		"a server": "import socket\ndef f(x):\n" +
			"  s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n" +
			"  s.bind(('', 0)); s.listen(); return 7",
		"signals": "import signal, time\ndef f(x):\n  got = []\n" +
			"  signal.signal(signal.SIGUSR1, lambda *a: got.append(7))\n" +
			"  signal.raise_signal(signal.SIGUSR1); time.sleep(0); return got[0]",
		"waiting": "import select, os\ndef f(x):\n" +
			"  r, w = os.pipe(); os.write(w, b'7'); e = select.epoll(); e.register(r)\n" +
			"  e.poll(1); return int(os.read(r, 1))",
		"chance": "import random, secrets, uuid, os\n" +
			"def f(x): return len(os.urandom(7)) + 0 * random.SystemRandom().randint(0, 9)",
		"the time": "import time, datetime\n" +
			"def f(x): time.localtime(); time.process_time(); time.thread_time(); return 7",
		"the machine": "import os, locale\n" +
			"def f(x): os.cpu_count(); os.uname(); os.sched_getaffinity(0); os.getgroups(); return 7",
		"another program": "import posix, sys, os\ndef f(x):\n" +
			"  p = os.posix_spawn(sys.executable, [sys.executable, '-c', " +
			"'raise SystemExit(7)'], {})\n  return posix.waitpid(p, 0)[1] >> 8",
		"NumPy": "try: import numpy as np\nexcept ImportError: np = None\ndef f(x):\n  if np is None: return 7\n" +
			"  a = np.random.default_rng(1).random((64, 64)); return int(round(np.linalg.det(a @ np.linalg.inv(a)))) * 7",
		"pandas": "try: import pandas as pd\nexcept ImportError: pd = None\ndef f(x):\n  if pd is None: return 7\n" +
			"  return int(pd.DataFrame({'a': [1, 2, 4]}).assign(b=1).groupby('b').sum()['a'].iloc[0])",
		"compression": "import zlib, gzip, hashlib, pickle\ndef f(x): return int(gzip.decompress(gzip.compress(b'7')))",
		"recursion": "import sys, threading\ndef f(x):\n" +
			"  sys.setrecursionlimit(10**6); threading.stack_size(1 << 26); out = []\n" +
			"  g = lambda n: 0 if n == 0 else 1 + g(n - 1)\n" +
			"  t = threading.Thread(target=lambda: out.append(g(7 * 10**3))); t.start(); t.join(); return out[0] // 1000",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := r.Run(t.Context(), programs.MXEval(source, "def check(f):\n  assert f(0) == 7\n", "f"))
			if err != nil || !v.Passed {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

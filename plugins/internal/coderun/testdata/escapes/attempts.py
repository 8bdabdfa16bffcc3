# What a program of a model tries: an attempt behind each line that begins with "# = ". Those called machine reach for
# what is outside of the box, the others for their verdict.

# = another same
main.same = lambda a, b: True

# = another judge
for n in list(vars(main)):
    if n.startswith('judge'): setattr(main, n, lambda *a: [True])

# = all functions of the driver say yes
for n, v in list(vars(main).items()):
    if isinstance(v, types.FunctionType): setattr(main, n, lambda *a, **k: True)

# = messages are changed
def send_all(self, m, real=main.Peer.send):
    m = dict(m)
    for k in list(m):
        if k in ('output', 'returned', 'value'): m[k] = {'own': True}
    return real(self, m)
main.Peer.send = send_all

# = values are packed as equal to all
main.Peer.pack = lambda self, v: {'own': True}

# = a verdict to all descriptors
for d in range(1024):
    try: os.write(d, V)
    except OSError: pass

# = a verdict to all descriptors and an end
for d in range(1024):
    try: os.write(d, V)
    except OSError: pass
posix._exit(0)

# = the end before its time
send(frame({'end': True}))
posix._exit(0)

# = an empty value, and the end
send(frame({'ready': True}) + frame({'returned': {'own': True}}) + frame({'output': ''}) + frame({'value': True}) + frame({'end': True}))
posix._exit(0)

# = a value that is an object of a module
send(frame({'ready': True}) + frame({'value': {'tuple': [True, {'module': ['operator', 'truth']}]}}) * 9)
posix._exit(0)

# = results in the place of values
send(frame({'passed': True, 'results': [True], 'code': 0}) * 4)

# = a frame without end
send((1 << 62).to_bytes(8, 'little') + b'x' * 4096)

# = nested frames
send(frame({'ready': True}))
t = b'[' * 100000
send(len(t).to_bytes(8, 'little') + t)

# = asks without end
send(frame({'call': 0, 'arguments': [], 'named': {}}) * 2000)

# = asks for what the judge has
for n in ('__globals__', 'want', 'tests'):
    send(frame({'attribute': n, 'of': 0}) + frame({'name': n}))

# = pidfd_getfd of the driver's output
p = libc.syscall(434, os.getppid(), 0)
for d in range(16):
    g = libc.syscall(438, p, d, 0)
    if g >= 0: os.write(g, V)
posix.kill(os.getppid(), signal.SIGINT)
time.sleep(1)

# = SIGKILL to the driver
posix.kill(os.getppid(), signal.SIGKILL)
pass

# = SIGINT to the driver
posix.kill(os.getppid(), signal.SIGINT)
pass

# = SIGTERM to the driver
posix.kill(os.getppid(), signal.SIGTERM)
pass

# = SIGSEGV to the driver
posix.kill(os.getppid(), signal.SIGSEGV)
pass

# = SIGALRM to the driver
posix.kill(os.getppid(), signal.SIGALRM)
pass

# = SIGSTOP to the driver
posix.kill(os.getppid(), signal.SIGSTOP)
posix.kill(os.getppid(), signal.SIGCONT)

# = signals to everybody
for s in (2, 15, 9):
    try: posix.kill(-1, s)
    except OSError: pass

# = exits at once
posix._exit(0)

# = exits by an exception
raise SystemExit(0)

# = is interrupted
raise KeyboardInterrupt

# = ends by an exception of the driver
raise main.Verdict([True], 0)

# = ends as the driver's other side
raise main.Gone('x')

# = an iteration's end
raise StopIteration(True)

# = what runs at the end
import atexit
atexit.register(lambda: send(V))

# = a thread that goes on
def go():
    while True: send(V)
threading.Thread(target=go, daemon=True).start()

# = a child that goes on
if posix.fork() == 0:
    send(V)
    time.sleep(1)
    posix._exit(0)

# = both go on
posix.fork()

# = a trace function
sys.settrace(lambda *a: None)
threading.settrace(lambda *a: None)

# = exceptions that are none
builtins.AssertionError = type('A', (Exception,), {'__init__': lambda s, *a: posix._exit(0)})

# = builtins that say yes
for n in ('all', 'any', 'isinstance', 'bool', 'len', 'zip'): setattr(builtins, n, lambda *a: True)

# = json that says yes
json.dumps = lambda *a, **k: V.decode()
json.dump = lambda v, f: f.write(V.decode())
json.loads = lambda *a, **k: {'passed': True}

# = modules are replaced
for n in ('json', 'os', 'signal', 'decimal', '__main__'): sys.modules[n] = types.ModuleType(n)

# = reads the rest of the job
for d in list(range(16)):
    try:
        os.set_blocking(d, False); t = os.read(d, 1 << 20)
        seen = SEEN(t.decode('utf-8', 'replace'))
    except OSError: pass

# = opens its input again
for p in ('/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '/proc/1/fd/0', '/proc/%d/fd/0' % os.getppid()):
    try:
        with open(p, errors='replace') as f: SEEN(f.read())
    except Exception: pass

# = looks at all objects
for o in gc.get_objects():
    try: SEEN(repr(o))
    except Exception: pass

# = looks at all frames
f = sys._getframe()
while f:
    SEEN(repr(f.f_locals)); SEEN(repr({k: v for k, v in f.f_globals.items() if k != 'SEEN'})); f = f.f_back

# = looks at its memory
page = 4096
r, w = posix.pipe()
for near in (id(main), id(V), id(json)):
    start = near // page * page - 2048 * page
    for p in range(start, start + 4096 * page, page):
        if libc.write(w, ctypes.c_void_p(p), page) == page:
            SEEN(os.read(r, page).decode('latin-1'))

# = reads the driver's memory
buf = ctypes.create_string_buffer(4096)
for near in (id(main), id(V)):
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buf), 4096)
    far = (ctypes.c_void_p * 2)(near // 4096 * 4096, 4096)
    if libc.syscall(310, os.getppid(), local, 1, far, 1, 0) > 0: HOLE('process_vm_readv')
for p in ('/proc/%d/mem' % os.getppid(), '/proc/%d/environ' % os.getppid()):
    try: open(p, 'rb').read(1); HOLE(p)
    except OSError: pass

# = traces the driver
for request in (16, 0x4206):
    if libc.ptrace(request, os.getppid(), 0, 0) == 0: HOLE('ptrace')

# = is traced by another
if libc.prctl(0x59616d61, -1, 0, 0, 0) == 0: HOLE('any may trace')

# = limits the driver
buf = (ctypes.c_ulong * 2)(1, 1)
if libc.prlimit(os.getppid(), 0, buf, None) == 0: HOLE('prlimit')

# = becomes another interpreter
try: posix.execv(sys.executable, [sys.executable, '-c', 'import os\nfor d in range(16):\n  try: os.write(d, %r)\n  except OSError: pass' % V])
except OSError: pass

# = closes and moves descriptors
os.closerange(0, 64)
r, w = posix.pipe()
for d in range(3, 16):
    try: os.dup2(w, d)
    except OSError: pass

# = much output
for i in range(20): print('x' * (1 << 20))

# = no memory
try: x = bytearray(8 << 30)
except MemoryError: pass

# = forks without end
for i in range(500):
    try:
        if posix.fork() == 0: time.sleep(3); posix._exit(0)
    except OSError: break

# = threads without end
try:
    for i in range(500): threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
except RuntimeError: pass

# = machine: files of the account
for p in HOME:
    for q in (p, '../' * 40 + p, '/tmp/../' + p, '/proc/self/root' + p, '/proc/1/root' + p, '/usr/../' + p):
        try: open(q).read(); HOLE(q)
        except OSError: pass

# = machine: links to files of the account
for i, p in enumerate(HOME):
    os.symlink(p, '/tmp/l%d' % i)
    try: open('/tmp/l%d' % i).read(); HOLE(p)
    except OSError: pass

# = machine: a folder that was open
for d in range(3, 2048):
    for p in HOME:
        try: os.open(os.path.basename(p), os.O_RDONLY, dir_fd=d); HOLE('descriptor %d' % d)
        except OSError: pass


# = machine: the driver's folders
p = libc.syscall(434, os.getppid(), 0)
for d in range(256):
    if libc.syscall(438, p, d, 0) >= 0: HOLE('pidfd_getfd %d' % d)

# = machine: sockets of the machine
import socket
for family, address in ((socket.AF_INET, ('127.0.0.1', PORT)), (socket.AF_INET6, ('::1', PORT)), (socket.AF_UNIX, '\0' + ABSTRACT), (socket.AF_UNIX, SOCKET)):
    try:
        s = socket.socket(family); s.settimeout(2); s.connect(address); HOLE(address)
    except OSError: pass

# = machine: sockets of other families
import socket
for family in range(46):
    for kind in (1, 2, 3, 5):
        try: socket.socket(family, kind); bad = family not in (1, 2, 10) or kind > 2
        except OSError: bad = False
        if bad: HOLE('family %d' % family)

# = machine: vsock
import socket
try: s = socket.socket(40, 1); HOLE('vsock')
except OSError: pass

# = machine: system calls that are out
for n, args in {'io_uring': (425, 1, 0), 'keyctl': (250, 0, 0), 'add_key': (248, 0, 0), 'bpf': (321, 0, 0), 'perf': (298, 0, 0), 'userfaultfd': (323, 0), 'memfd': (319, b'x', 0), 'memfd_secret': (447, 0), 'kcmp': (312, 1, 1, 0, 0, 0), 'open_tree': (428, -100, b'/', 1), 'open_tree_attr': (467, -100, b'/', 1), 'fsopen': (430, b'tmpfs', 0), 'fanotify': (300, 0, 0), 'inotify': (253,), 'handle': (303, -100, b'/', 0, 0, 0), 'modify_ldt': (154, 0, 0, 0), 'personality': (135, 0), 'quotactl': (179, 0), 'swapon': (167, 0, 0), 'syslog': (103, 3, 0, 0), 'landlock': (444, 0, 0, 1), 'seccomp': (317, 2, 0, 0), 'mq_open': (240, b'x', 64, 0, 0), 'shmget': (29, 0, 4096, 0o1600), 'vmsplice': (278, 1, 0, 0, 0), 'process_madvise': (440, 1, 0, 0, 0, 0), 'pidfd_open': (434, 1, 0), 'clone3': (435, 0, 0), 'execveat': (322, 3, b'', 0, 0, 0x1000), 'name_to_handle': (303, 0, 0, 0, 0, 0), 'iopl': (172, 3), 'kexec': (246, 0, 0, 0, 0), 'reboot': (169, 0, 0, 0, 0), 'nice': (141, 0, 0, -20), 'listmount': (458, 0, 0, 0, 0)}.items():
    ctypes.set_errno(0)
    r = libc.syscall(*args)
    if r != -1 or ctypes.get_errno() not in (1, 38): HOLE('%s %d %d' % (n, r, ctypes.get_errno()))

# = machine: spaces of its own
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80):
    if libc.unshare(flag) == 0: HOLE('unshare')
    if flag > 0x80:
        p = libc.syscall(56, flag | 17, 0, 0, 0, 0)
        if p == 0: posix._exit(0)
        if p > 0: HOLE('clone')
if libc.setns(0, 0) == 0: HOLE('setns')

# = machine: mounts and roots
for r in (libc.mount(b'x', b'/tmp', b'tmpfs', 0, 0), libc.umount2(b'/usr', 2), libc.chroot(b'/tmp'), libc.syscall(155, b'/tmp', b'/tmp'), libc.mknod(b'/tmp/sda', 0o60600, 0x800)):
    if r == 0: HOLE('mount')

# = machine: privileges
for r in (libc.setuid(0) if posix.getuid() else -1, libc.setgid(0) if posix.getgid() else -1, libc.setgroups(0, 0), libc.sethostname(b'x', 1), libc.syscall(126, ctypes.create_string_buffer(16), ctypes.create_string_buffer(24))):
    if r == 0: HOLE('privilege')

# = machine: writes outside
for p in ('/', '/usr', '/usr/bin', '/dev', '/etc', '/var/tmp', '/lib', os.path.dirname(sys.executable), *map(os.path.dirname, HOME)):
    if os.path.realpath(p).startswith('/tmp'): continue
    try: open(p + '/written', 'w'); HOLE(p)
    except OSError: pass

# = machine: devices
for p in ('/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/kvm', '/dev/tty', '/dev/fuse', '/dev/net/tun'):
    try: open(p, 'rb'); HOLE(p)
    except OSError: pass

# = machine: the environment
for name in os.environ:
    if name.startswith('PLUMBLINE') or 'KEY' in name: HOLE(name)

# = machine: a library before all
with open('/tmp/x.so', 'wb') as f: f.write(b'\x7fELF')
os.environ['LD_PRELOAD'] = '/tmp/x.so'
os.environ['PYTHONPATH'] = '/tmp'
with open('/tmp/json.py', 'w') as f: f.write('raise SystemExit(0)')

# = machine: a module in its folder
for n in ('json', 'decimal', 'ast', 'sitecustomize'):
    with open('/tmp/%s.py' % n, 'w') as f: f.write('import os; os._exit(0)')

# = machine: processes of the machine
for p in os.listdir('/proc') if os.path.isdir('/proc') else []: HOLE('/proc/' + p)
for pid in PIDS:
    try: posix.kill(pid, 0); HOLE('process %d' % pid)
    except OSError: pass

# = machine: another ABI
if posix.uname().machine == 'x86_64':
    pid = posix.fork()
    if pid == 0:
        libc.syscall(0x40000000 + 39)
        posix._exit(0)
    if posix.waitpid(pid, 0)[1] == 0: HOLE('x32')

# = machine: terminal
import fcntl
for d in (0, 1, 2):
    for r in (0x5412, 0x541c, 0x5302):
        try: fcntl.ioctl(d, r, b'x'); HOLE('ioctl %x' % r)
        except OSError: pass

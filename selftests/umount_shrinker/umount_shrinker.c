// SPDX-License-Identifier: GPL-2.0-only
/*
 * What unregister_shrinker() promises to umount(2), and to whoever embeds a
 * struct shrinker: it waits for callbacks of this one shrinker and of no other,
 * and when it returns they are over.
 *
 * The tests need lib/test_shrinker.c: TEST_SHRINKER_KO names the module, if
 * modprobe would not find it. A walk that comes too late to a shrinker crashes,
 * since that module poisons what it frees. One that comes too late to memory of
 * the core is seen by KASAN only. Either taints the kernel, and that fails the
 * test. Whoever waits here has a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kselftest_harness.h"

#define DEBUGFS	"/sys/kernel/debug"
#define CTL	DEBUGFS "/test_shrinker/ctl"
#define FAILSLAB	DEBUGFS "/failslab"
#define CGROUP	"/tmp/umount_shrinker.cgroup"
#define MNT	"/tmp/umount_shrinker.mnt"

/* Far more than anything here takes, also in an emulated debug kernel. */
#define LIMIT_S	20

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	n = n < 0 ? -errno : 0;
	close(fd);
	return n;
}

static char *read_file(const char *path)
{
	static char buf[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, len = 0;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, buf + len, sizeof(buf) - 1 - len)) > 0)
		len += n;
	buf[len] = '\0';
	close(fd);
	return buf;
}

static int ctl(const char *fmt, ...)
{
	char command[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return write_file(CTL, command);
}

/* The value of "name ... key=N", or -1. */
static long ctl_get(const char *name, const char *key)
{
	char *text = read_file(CTL), *line, *end, *found;
	char pattern[64];
	size_t len = strlen(name);

	snprintf(pattern, sizeof(pattern), " %s=", key);
	for (line = text; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		if (strncmp(line, name, len) || line[len] != ' ')
			continue;
		found = strstr(line, pattern);
		return found ? atol(found + strlen(pattern)) : -1;
	}
	return -1;
}

/* Until it has at least this value. */
static bool wait_until(const char *name, const char *key, long value)
{
	int i;

	for (i = 0; i < LIMIT_S * 100; i++) {
		if (ctl_get(name, key) >= value)
			return true;
		usleep(10000);
	}
	return false;
}

/* Until the child sleeps in the kernel, where no signal can wake it. */
static bool wait_until_blocked(pid_t pid)
{
	char path[32], *text;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < LIMIT_S * 100; i++) {
		text = read_file(path);
		text = text ? strrchr(text, ')') : NULL;
		if (text && text[1] && text[2] == 'D')
			return true;
		usleep(10000);
	}
	return false;
}

/*
 * Until what was freed by RCU before is gone: kfree_rcu() may hold it back for
 * five seconds before it asks for a grace period.
 */
static void wait_for_rcu(void)
{
	int i;

	sleep(7);
	for (i = 0; i < 3; i++)
		syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Run something in a child, which kernel bugs may keep for ever. */
static pid_t start(int (*f)(void *), void *arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(f(arg));
	}
	return pid;
}

/* The exit status of the child; -1 and no child, if it does not end. */
static int finish(pid_t pid)
{
	int i, status;

	for (i = 0; i < LIMIT_S * 100; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	return -1;
}

static int do_drop_slab(void *arg)
{
	return write_file("/proc/sys/vm/drop_caches", "2") ? 1 : 0;
}

static int do_reclaim(void *arg)
{
	int ret = write_file(CGROUP "/a/memory.reclaim", "64M");

	/* It did not find that much, as intended. */
	return ret == 0 || ret == -EAGAIN ? 0 : 1;
}

static int do_umount(void *arg)
{
	return umount2(arg, 0) ? 1 : 0;
}

static int do_add(void *name)
{
	return ctl("add %s", (char *)name) ? 1 : 0;
}

static int do_del(void *name)
{
	return ctl("del %s", (char *)name) ? 1 : 0;
}

static int mount_at(const char *dir, const char *type)
{
	mkdir(dir, 0700);
	return mount("none", dir, type, 0, NULL);
}

static int do_mount_umount(void *dir)
{
	return mount_at(dir, "ramfs") || umount2(dir, 0);
}

/* The debugfs file of a test shrinker, which has a number in its name. */
static int do_read_count(void *name)
{
	char path[128], pattern[64];
	glob_t found;
	char *text;

	snprintf(pattern, sizeof(pattern), DEBUGFS "/shrinker/test-%s-*/count",
		 (char *)name);
	if (glob(pattern, 0, NULL, &found))
		return 2;
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	text = read_file(path);
	return text ? 0 : 1;
}

static bool load_module(void)
{
	const char *path = getenv("TEST_SHRINKER_KO");
	int fd;

	if (!access(CTL, F_OK))
		return true;
	if (path) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			syscall(__NR_finit_module, fd, "", 0);
			close(fd);
		}
	} else if (system("modprobe test_shrinker 2>/dev/null")) {
		return false;
	}
	return !access(CTL, F_OK);
}

/* A cgroup v2 with memory.reclaim; the test goes into it. */
static bool make_cgroup(void)
{
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		return false;
	write_file(CGROUP "/cgroup.subtree_control", "+memory");
	mkdir(CGROUP "/a", 0700);
	if (access(CGROUP "/a/memory.reclaim", W_OK))
		return false;
	return write_file(CGROUP "/a/cgroup.procs", "0") == 0;
}

/* And it is charged for slab. */
static bool make_charged_cgroup(void)
{
	char *cmdline = read_file("/proc/cmdline");

	return !(cmdline && strstr(cmdline, "nokmem")) && make_cgroup();
}

/* Bytes of slab charged to the cgroup of the test, or -1. */
static long charged_slab(void)
{
	char *text = read_file(CGROUP "/a/memory.stat");
	char *found = text ? strstr(text, "slab_reclaimable ") : NULL;

	return found ? atol(found + strlen("slab_reclaimable ")) : -1;
}

static long tainted(void)
{
	char *text = read_file("/proc/sys/kernel/tainted");

	return text ? atol(text) : -1;
}

/* Let go and delete whatever a test that failed has left. */
static void delete_all(void)
{
	char name[32], *text;
	int i;

	for (i = 0; i < 1000; i++) {
		text = read_file(CTL);
		if (!text || sscanf(text, "%31s", name) != 1 ||
		    !strcmp(name, "last:"))
			return;
		ctl("release %s", name);
		/* It may be busy with what the test has begun. */
		if (finish(start(do_del, name)))
			usleep(100000);
	}
}

FIXTURE(shrinker)
{
	long tainted;
};

FIXTURE_SETUP(shrinker)
{
	self->tainted = tainted();
}

FIXTURE_TEARDOWN(shrinker)
{
	delete_all();
	umount2(MNT "/ramfs", 0);
	write_file(CGROUP "/cgroup.procs", "0");
	rmdir(CGROUP "/a");
	EXPECT_EQ(self->tainted, tainted()) {
		TH_LOG("the kernel has complained, see its log");
	}
}

/*
 * umount(2) does not wait for a callback of somebody else's shrinker.
 * With shrinker_rwsem or one grace period for all it ends when that does.
 */
TEST_F_TIMEOUT(shrinker, foreign_callback, 120)
{
	pid_t walker, umounter;

	ASSERT_EQ(0, mount_at(MNT "/ramfs", "ramfs"));
	ASSERT_EQ(0, ctl("add foreign"));
	ASSERT_EQ(0, ctl("hold foreign"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("foreign", "held", 1));

	umounter = start(do_umount, MNT "/ramfs");
	EXPECT_EQ(0, finish(umounter));
	/* It was still there. */
	EXPECT_LE(1, ctl_get("foreign", "held"));

	ctl("release foreign");
	EXPECT_EQ(0, finish(walker));
	EXPECT_EQ(0, ctl("del foreign"));
}

/*
 * umount(2) waits for the batch that is being scanned, not for the thirty others
 * that the walk had in mind.
 */
TEST_F_TIMEOUT(shrinker, leaves_between_batches, 120)
{
	pid_t walker, deleter;

	ASSERT_EQ(0, ctl("add batches"));
	ASSERT_EQ(0, ctl("fill batches 4096"));
	ASSERT_EQ(0, ctl("hold batches scan"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("batches", "held", 1));

	deleter = start(do_del, "batches");
	ASSERT_TRUE(wait_until_blocked(deleter));
	ctl("release batches");
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(walker));
	EXPECT_EQ(1, ctl_get("last: batches", "scans"));
}

/*
 * No walk gives up because somebody unmounts. The walk is in one of two
 * shrinkers when that happens, and gets to the other.
 */
TEST_F_TIMEOUT(shrinker, walk_goes_on, 120)
{
	const char *first, *last;
	pid_t walker, umounter;

	ASSERT_EQ(0, ctl("add one"));
	ASSERT_EQ(0, ctl("add two"));
	ASSERT_EQ(0, ctl("hold one"));
	ASSERT_EQ(0, ctl("hold two"));
	walker = start(do_drop_slab, NULL);
	while (ctl_get("one", "held") < 1 && ctl_get("two", "held") < 1)
		usleep(10000);
	first = ctl_get("one", "held") >= 1 ? "one" : "two";
	last = first[0] == 'o' ? "two" : "one";

	umounter = start(do_mount_umount, MNT "/ramfs");
	/* Where it waits for the walk, it has asked that to give up by now. */
	sleep(2);
	ctl("release %s", first);
	EXPECT_TRUE(wait_until(last, "held", 1));
	/* In the same pass: the first one has not been called again. */
	EXPECT_EQ(1, ctl_get(first, "calls"));
	ctl("release %s", last);
	EXPECT_EQ(0, finish(umounter));
	EXPECT_EQ(0, finish(walker));
}

/* A walk does not go on to what was registered after it began. */
TEST_F_TIMEOUT(shrinker, walk_ends, 120)
{
	pid_t walker, adder;

	ASSERT_EQ(0, ctl("add early"));
	ASSERT_EQ(0, ctl("hold early"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("early", "held", 1));

	adder = start(do_add, "late");
	while (ctl("hold late"))
		usleep(10000);
	sleep(2);
	ctl("release early");
	EXPECT_EQ(0, finish(adder));
	/* The next pass gets there; then it has been to the first one again. */
	while (!kill(walker, 0) && waitpid(walker, NULL, WNOHANG) == 0) {
		if (ctl_get("late", "held") >= 1) {
			EXPECT_LE(2, ctl_get("early", "calls"));
			break;
		}
		usleep(10000);
	}
	ctl("release late");
	finish(walker);
}

/* The next owner of an id is reached by reclaim in the memcg. */
TEST_F_TIMEOUT(shrinker, id_is_reused, 120)
{
	long id = -1;
	int i;

	if (!make_charged_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ctl("add reused memcg"));
		if (i == 0)
			id = ctl_get("reused", "id");
		EXPECT_EQ(id, ctl_get("reused", "id"));
		ASSERT_EQ(0, ctl("fill reused 1000"));
		EXPECT_EQ(1000, ctl_get("reused", "objects"));
		EXPECT_EQ(0, finish(start(do_reclaim, NULL)));
		EXPECT_GT(100, ctl_get("reused", "objects"));
		EXPECT_EQ(0, ctl("del reused"));
	}
}

/*
 * The maps of all memcgs are replaced, twice, while a walk that goes by
 * one of them is inside a callback. Needs KASAN to see a use after free.
 */
TEST_F_TIMEOUT(shrinker, map_is_replaced, 180)
{
	pid_t walker;
	int i;

	if (!make_charged_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");

	ASSERT_EQ(0, ctl("add map memcg"));
	ASSERT_EQ(0, ctl("fill map 1000"));
	ASSERT_EQ(0, ctl("hold map"));
	walker = start(do_reclaim, NULL);
	ASSERT_TRUE(wait_until("map", "held", 1));

	for (i = 0; i < 130; i++)
		ASSERT_EQ(0, ctl("add map%d memcg", i));
	wait_for_rcu();
	ctl("release map");
	EXPECT_EQ(0, finish(walker));
	EXPECT_GT(100, ctl_get("map", "objects"));

	for (i = 0; i < 130; i++)
		EXPECT_EQ(0, ctl("del map%d", i));
	EXPECT_EQ(0, ctl("del map"));
}

/*
 * Let mount(2) fail at each of its allocations, one after the other. Returns
 * how many there are, or -1.
 */
static int fail_mounts(const char *dir)
{
	char text[16];
	int fd, n, ret;

	mkdir(dir, 0700);
	for (n = 1; n < 500; n++) {
		fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
		snprintf(text, sizeof(text), "%d", n);
		if (write(fd, text, strlen(text)) < 0)
			return -1;
		ret = mount("none", dir, "ramfs", 0, NULL);
		memset(text, 0, sizeof(text));
		if (pread(fd, text, sizeof(text) - 1, 0) < 0)
			return -1;
		/* Nor is umount(2) to fail, which would keep an id. */
		if (pwrite(fd, "0", 1, 0) < 0 || (!ret && umount2(dir, 0)))
			return -1;
		close(fd);
		/* What is left of n, if there were less of them. */
		if (atoi(text))
			return n - 1;
	}
	return -1;
}

/*
 * A mount that fails, at any of its allocations, takes nobody's id away.
 * The super_block mounted in between may have the one that was: reclaim in a
 * memcg does not find its dentries then. (A sysfs, because it keeps dentries of
 * names that do not exist, and each network namespace has its own.)
 */
TEST_F_TIMEOUT(shrinker, failed_mount, 180)
{
	long before, after;
	char path[64];
	struct stat st;
	int i, n;

	if (!make_charged_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");
	if (access("/proc/self/fail-nth", W_OK) ||
	    access(FAILSLAB, F_OK))
		SKIP(return, "needs FAILSLAB and FAULT_INJECTION_DEBUG_FS");
	if (unshare(CLONE_NEWNET))
		SKIP(return, "needs network namespaces");
	write_file(FAILSLAB "/ignore-gfp-wait", "N");
	write_file(FAILSLAB "/verbose", "0");

	EXPECT_LT(5, fail_mounts(MNT "/fail"));
	ASSERT_EQ(0, mount_at(MNT "/x", "sysfs"));
	EXPECT_LT(5, fail_mounts(MNT "/fail"));
	write_file(FAILSLAB "/ignore-gfp-wait", "Y");
	write_file(FAILSLAB "/verbose", "2");

	for (n = 0; n < 20000; n++) {
		snprintf(path, sizeof(path), MNT "/x/%d", n);
		stat(path, &st);
	}
	before = charged_slab();
	ASSERT_LT(1000000, before);
	/* What reclaim finds is freed after a grace period. */
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(0, finish(start(do_reclaim, NULL)));
		after = charged_slab();
		if (after < before / 4)
			break;
		usleep(100000);
	}
	EXPECT_LT(after, before / 4) {
		TH_LOG("slab_reclaimable %ld, after reclaim %ld bytes",
		       before, after);
	}
	EXPECT_EQ(0, umount2(MNT "/x", 0));
}

/*
 * With more super_blocks than the maps had bits, reclaim in a memcg ends and so
 * does umount(2). Also where memcgs are not charged for slab: the walk looks at
 * each of them, and turns away.
 */
TEST_F_TIMEOUT(shrinker, many_mounts, 240)
{
	char dir[64];
	int i;

	if (!make_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim");

	for (i = 0; i < 130; i++) {
		snprintf(dir, sizeof(dir), MNT "/many%d", i);
		ASSERT_EQ(0, mount_at(dir, "ramfs"));
	}
	EXPECT_EQ(0, finish(start(do_reclaim, NULL)));
	for (i = 0; i < 130; i++) {
		snprintf(dir, sizeof(dir), MNT "/many%d", i);
		ASSERT_EQ(0, finish(start(do_umount, dir)));
		rmdir(dir);
	}
}

static int start_line[2];

/* Both get there at once: a sysfs has one super_block a network namespace. */
static int do_mount_sysfs(void *dir)
{
	char c;

	close(start_line[1]);
	return read(start_line[0], &c, 1) || mount_at(dir, "sysfs");
}

/*
 * Of two who mount the same super_block, one has made another in vain, whose
 * shrinker has an id and has never been registered.
 */
TEST_F_TIMEOUT(shrinker, lost_race, 120)
{
	struct stat one, two;
	pid_t first, second;
	int i;

	for (i = 0; i < 100; i++) {
		if (unshare(CLONE_NEWNET))
			SKIP(return, "needs network namespaces");
		ASSERT_EQ(0, pipe(start_line));
		first = start(do_mount_sysfs, MNT "/one");
		second = start(do_mount_sysfs, MNT "/two");
		close(start_line[0]);
		close(start_line[1]);
		ASSERT_EQ(0, finish(first));
		ASSERT_EQ(0, finish(second));
		EXPECT_EQ(0, stat(MNT "/one", &one));
		EXPECT_EQ(0, stat(MNT "/two", &two));
		EXPECT_EQ(one.st_dev, two.st_dev);
		EXPECT_EQ(0, umount2(MNT "/one", 0));
		EXPECT_EQ(0, umount2(MNT "/two", 0));
	}
}

#define STORM_ROUNDS	30

static int make_files(const char *dir)
{
	char path[128];
	int fd, i;

	for (i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, path, strlen(path)) < 0)
			return 1;
		close(fd);
	}
	return 0;
}

/* A ramfs, a tmpfs with huge pages, and an overlay in that. */
static int mount_round(const char *dir)
{
	static const char * const folders[] = {
		"lower", "upper", "work", "merged"
	};
	char path[128], options[512];
	int i;

	if (mount("none", dir, "ramfs", 0, NULL) || make_files(dir) ||
	    umount2(dir, 0))
		return 1;
	if (mount("none", dir, "tmpfs", 0, "huge=always") &&
	    mount("none", dir, "tmpfs", 0, NULL))
		return 2;
	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work,userxattr",
		 dir, dir, dir);
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		if (mkdir(path, 0700) || (i == 0 && make_files(path)))
			return 3;
	}
	if (!mount("none", path, "overlay", 0, options) &&
	    (make_files(path) || umount2(path, 0)))
		return 4;
	return make_files(dir) || umount2(dir, 0) ? 5 : 0;
}

/* By somebody who is root only in a user namespace. */
static int do_storm(void *unused)
{
	char dir[64];
	int i, ret;

	snprintf(dir, sizeof(dir), MNT "/storm%d", getpid());
	mkdir(dir, 0700);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
	    write_file("/proc/self/setgroups", "deny") ||
	    write_file("/proc/self/uid_map", "0 0 1") ||
	    write_file("/proc/self/gid_map", "0 0 1"))
		return KSFT_SKIP;
	for (i = 0; i < STORM_ROUNDS; i++) {
		ret = mount_round(dir);
		if (ret)
			return 10 + ret;
	}
	return 0;
}

/* cgroups come, are charged, are shrunk, and go. */
static int do_cgroups(void *unused)
{
	int i;

	for (i = 0; i < STORM_ROUNDS; i++) {
		mkdir(CGROUP "/b", 0700);
		if (write_file(CGROUP "/b/cgroup.procs", "0"))
			return 1;
		access("/proc/self/task/none", F_OK);
		write_file(CGROUP "/b/memory.reclaim", "1M");
		if (write_file(CGROUP "/cgroup.procs", "0") ||
		    rmdir(CGROUP "/b"))
			return 2;
	}
	return 0;
}

/*
 * Mounts and umounts by the unprivileged, with global reclaim, reclaim in memcgs
 * that come and go, all of it at once: nothing is lost, and reclaim gets to the
 * end of its list meanwhile.
 */
TEST_F_TIMEOUT(shrinker, storm, 240)
{
	bool memcg = make_charged_cgroup();
	pid_t storm[4], cgroups = -1;
	int i, status, walks = 0;

	/* Behind those of the kernel: a walk that gives up does not get there. */
	ASSERT_EQ(0, ctl("add progress"));
	for (i = 0; i < 4; i++)
		storm[i] = start(do_storm, NULL);
	if (memcg)
		cgroups = start(do_cgroups, NULL);
	for (i = 0; i < 4; i++) {
		do {
			ASSERT_EQ(0, ctl("fill progress 100"));
			ASSERT_EQ(0, do_drop_slab(NULL));
			EXPECT_EQ(0, ctl_get("progress", "objects"));
			walks++;
		} while (!waitpid(storm[i], &status, WNOHANG));
		ASSERT_TRUE(WIFEXITED(status));
		if (WEXITSTATUS(status) == KSFT_SKIP)
			SKIP(return, "needs user namespaces");
		EXPECT_EQ(0, WEXITSTATUS(status));
	}
	TH_LOG("%d walks meanwhile", walks);
	EXPECT_TRUE(!memcg || finish(cgroups) == 0);
	EXPECT_EQ(0, ctl("del progress"));
}

/* Unregister_shrinker() does wait for a callback of its own. */
static void own_callback(struct __test_metadata *_metadata,
			 int (*call)(void *name))
{
	pid_t caller, deleter;

	ASSERT_EQ(0, ctl("add own%s", call == do_reclaim ? " memcg" : ""));
	ASSERT_EQ(0, ctl("fill own 10"));
	ASSERT_EQ(0, ctl("hold own"));
	caller = start(call, "own");
	ASSERT_TRUE(wait_until("own", "held", 1));

	deleter = start(do_del, "own");
	ASSERT_TRUE(wait_until_blocked(deleter));
	sleep(1);
	/* Freed, the line would be gone and the module would crash. */
	EXPECT_LE(1, ctl_get("own", "held"));

	ctl("release own");
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(caller));
	EXPECT_EQ(-1, ctl_get("own", "held"));
}

TEST_F_TIMEOUT(shrinker, own_callback, 120)
{
	own_callback(_metadata, do_drop_slab);
}

TEST_F_TIMEOUT(shrinker, own_callback_in_memcg, 120)
{
	if (!make_charged_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");
	own_callback(_metadata, do_reclaim);
}

TEST_F_TIMEOUT(shrinker, own_callback_in_debugfs, 120)
{
	if (access(DEBUGFS "/shrinker", F_OK))
		SKIP(return, "needs CONFIG_SHRINKER_DEBUG");
	own_callback(_metadata, do_read_count);
}

/*
 * A walk is inside a callback of "pinned", which is being unregistered, while
 * its neighbour is unregistered and freed. If "pinned" has left the list before
 * the walk has left it, its next pointer leads into freed memory. Needs KASAN
 * to see that.
 */
static void neighbour(struct __test_metadata *_metadata, const char *first,
		      const char *second)
{
	pid_t walker, deleter, other;

	ASSERT_EQ(0, ctl("add %s", first));
	ASSERT_EQ(0, ctl("add %s", second));
	ASSERT_EQ(0, ctl("hold pinned"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("pinned", "held", 1));

	deleter = start(do_del, "pinned");
	ASSERT_TRUE(wait_until_blocked(deleter));
	/* Where it waits for the walk too, it ends below. */
	other = start(do_del, "near");
	wait_for_rcu();
	ctl("release pinned");
	EXPECT_EQ(0, finish(other));
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(walker));
}

TEST_F_TIMEOUT(shrinker, neighbour_before, 120)
{
	neighbour(_metadata, "near", "pinned");
}

TEST_F_TIMEOUT(shrinker, neighbour_after, 120)
{
	neighbour(_metadata, "pinned", "near");
}

/* Order of the tests, as TEST_HARNESS_MAIN has it. */
static void __attribute__((constructor)) __constructor_order_last(void)
{
	if (!__constructor_order)
		__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD;
}

static int skip_all(const char *why)
{
	printf("TAP version 13\n1..0 # SKIP %s\n", why);
	return KSFT_SKIP;
}

int main(int argc, char **argv)
{
	bool loaded;
	int ret;

	if (geteuid())
		return skip_all("needs root");
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return skip_all("needs mount namespaces");
	mkdir(MNT, 0700);
	if (mount("none", MNT, "tmpfs", 0, NULL))
		return skip_all("needs tmpfs");
	/* Gone with the namespace, if it was not there. */
	if (access(DEBUGFS "/sched", F_OK))
		mount("none", DEBUGFS, "debugfs", 0, NULL);
	loaded = access(CTL, F_OK);
	if (!load_module())
		return skip_all("needs the module test_shrinker");

	ret = test_harness_run(argc, argv);

	if (loaded)
		syscall(__NR_delete_module, "test_shrinker", 0);
	umount2(MNT, MNT_DETACH);
	rmdir(MNT);
	umount2(CGROUP, MNT_DETACH);
	rmdir(CGROUP);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What unregister_shrinker() promises to umount(2), and to whoever embeds a
 * struct shrinker: it waits for callbacks of this one shrinker and for nothing
 * else, and when it returns they are over.
 *
 * Most tests need lib/test_shrinker.c: TEST_SHRINKER_KO names the module, if
 * modprobe would not find it. A use after free shows as an oops, since that
 * module poisons what it frees, or as a report of KASAN; a wait that does not
 * end shows as a failed test, for whoever waits here has a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kselftest_harness.h"

#define CTL	"/sys/kernel/debug/test_shrinker/ctl"
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

static bool wait_until(const char *name, const char *key, long value)
{
	int i;

	for (i = 0; i < LIMIT_S * 100; i++) {
		if (ctl_get(name, key) == value)
			return true;
		usleep(10000);
	}
	return false;
}

/* An RCU grace period and more: what was freed before is gone now. */
static void grace_period(void)
{
	int i;

	for (i = 0; i < 3; i++)
		syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Run something in a child, which kernel bugs may keep for ever. */
static pid_t start(int (*f)(void *), void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(f(arg));
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

static int do_del(void *name)
{
	return ctl("del %s", (char *)name) ? 1 : 0;
}

static int mount_at(const char *dir, const char *type)
{
	mkdir(dir, 0700);
	return mount("none", dir, type, 0, NULL);
}

static int do_storm(void *arg)
{
	for (;;) {
		if (mount_at(MNT "/storm", "ramfs"))
			return 1;
		if (umount2(MNT "/storm", 0))
			return 1;
	}
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

static void make_world(void)
{
	unshare(CLONE_NEWNS);
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mkdir(MNT, 0700);
	mount("none", MNT, "tmpfs", 0, NULL);
	if (access("/sys/kernel/debug/sched", F_OK))
		mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
}

/*
 * A cgroup v2 with memory.reclaim that is charged for slab; the test goes into
 * it.
 */
static bool make_cgroup(void)
{
	char *cmdline = read_file("/proc/cmdline");

	if (cmdline && strstr(cmdline, "nokmem"))
		return false;
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		return false;
	write_file(CGROUP "/cgroup.subtree_control", "+memory");
	mkdir(CGROUP "/a", 0700);
	if (access(CGROUP "/a/memory.reclaim", W_OK))
		return false;
	return write_file(CGROUP "/a/cgroup.procs", "0") == 0;
}

/* Bytes of slab charged to the cgroup of the test, or -1. */
static long charged_slab(void)
{
	char *text = read_file(CGROUP "/a/memory.stat");
	char *found = text ? strstr(text, "slab_reclaimable ") : NULL;

	return found ? atol(found + strlen("slab_reclaimable ")) : -1;
}

FIXTURE(shrinker)
{
	bool cgroup;
};

FIXTURE_SETUP(shrinker)
{
	if (geteuid())
		SKIP(return, "needs root");
	make_world();
	if (!load_module())
		SKIP(return, "needs the module test_shrinker");
}

FIXTURE_TEARDOWN(shrinker)
{
	char *text, *line;

	/* Whatever a failed test has left. */
	while ((text = read_file(CTL)) && *text && strncmp(text, "last:", 5)) {
		line = strdup(text);
		*strchr(line, ' ') = '\0';
		ctl("release %s", line);
		if (ctl("del %s", line) && errno != EBUSY)
			break;
		free(line);
	}
	write_file(CGROUP "/cgroup.procs", "0");
	rmdir(CGROUP "/a");
}

/*
 * G2, G4: umount(2) does not wait for a callback of somebody else's shrinker.
 * With shrinker_rwsem or one grace period for all it ends when that does.
 */
TEST_F_TIMEOUT(shrinker, foreign_callback, 90)
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
	EXPECT_EQ(1, ctl_get("foreign", "held"));

	ctl("release foreign");
	EXPECT_EQ(0, finish(walker));
	EXPECT_EQ(0, ctl("del foreign"));
}

/* G1: unregister_shrinker() does wait for a callback of its own. */
TEST_F_TIMEOUT(shrinker, own_callback, 90)
{
	pid_t walker, deleter;

	ASSERT_EQ(0, ctl("add own"));
	ASSERT_EQ(0, ctl("hold own"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("own", "held", 1));

	deleter = start(do_del, "own");
	ASSERT_TRUE(wait_until("own", "deleting", 1));
	grace_period();
	sleep(1);
	/* Freed, the line would be gone and the module would crash. */
	EXPECT_EQ(1, ctl_get("own", "held"));

	ctl("release own");
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(walker));
	EXPECT_EQ(-1, ctl_get("own", "held"));
}

/*
 * G2: it waits for the batch that is being scanned, not for the thirty others
 * that the walk had in mind.
 */
TEST_F_TIMEOUT(shrinker, leaves_between_batches, 90)
{
	pid_t walker, deleter;

	ASSERT_EQ(0, ctl("add batches"));
	ASSERT_EQ(0, ctl("fill batches 4096"));
	ASSERT_EQ(0, ctl("hold batches scan"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("batches", "held", 1));

	deleter = start(do_del, "batches");
	ASSERT_TRUE(wait_until("batches", "deleting", 1));
	usleep(100000);
	ctl("release batches");
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(walker));
	EXPECT_EQ(1, ctl_get("last: batches", "scans"));
}

FIXTURE(neighbour) {};

FIXTURE_VARIANT(neighbour)
{
	const char *first, *second;
};

FIXTURE_VARIANT_ADD(neighbour, before)
{
	.first = "near",
	.second = "pinned",
};

FIXTURE_VARIANT_ADD(neighbour, after)
{
	.first = "pinned",
	.second = "near",
};

FIXTURE_SETUP(neighbour)
{
	if (geteuid())
		SKIP(return, "needs root");
	make_world();
	if (!load_module())
		SKIP(return, "needs the module test_shrinker");
}

FIXTURE_TEARDOWN(neighbour) {}

/*
 * A walk is inside a callback of "pinned", which is being unregistered, while
 * its neighbour is unregistered and freed. If "pinned" has left the list before
 * the walk has left it, its next pointer leads into freed memory.
 */
TEST_F_TIMEOUT(neighbour, is_unregistered, 90)
{
	pid_t walker, deleter;

	ASSERT_EQ(0, ctl("add %s", variant->first));
	ASSERT_EQ(0, ctl("add %s", variant->second));
	ASSERT_EQ(0, ctl("hold pinned"));
	walker = start(do_drop_slab, NULL);
	ASSERT_TRUE(wait_until("pinned", "held", 1));

	deleter = start(do_del, "pinned");
	ASSERT_TRUE(wait_until("pinned", "deleting", 1));
	usleep(100000);
	/* Where it waits for the walk too, it ends below. */
	pid_t other = start(do_del, "near");

	usleep(500000);
	grace_period();
	ctl("release pinned");
	EXPECT_EQ(0, finish(other));
	EXPECT_EQ(0, finish(deleter));
	EXPECT_EQ(0, finish(walker));
}

/*
 * G14: no walk gives up because somebody unmounts. Under a storm of umounts
 * each of 32 shrinkers is called by one and the same walk.
 */
TEST_F_TIMEOUT(shrinker, walk_in_a_storm, 120)
{
	pid_t storm;
	char name[16];
	int i, missed = 0;

	for (i = 0; i < 32; i++)
		ASSERT_EQ(0, ctl("add walk%d", i));
	storm = start(do_storm, NULL);
	usleep(200000);
	/* The last to be called, in either order, shows that all were. */
	ASSERT_EQ(0, write_file("/proc/sys/vm/drop_caches", "2"));
	kill(storm, SIGKILL);
	waitpid(storm, NULL, 0);
	umount2(MNT "/storm", 0);

	for (i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "walk%d", i);
		missed += ctl_get(name, "calls") < 1;
		EXPECT_EQ(0, ctl("del %s", name));
	}
	EXPECT_EQ(0, missed);
}

/* G11: the next owner of an id is reached by reclaim in the memcg. */
TEST_F_TIMEOUT(shrinker, id_is_reused, 90)
{
	int i;

	if (!make_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ctl("add reused memcg"));
		ASSERT_EQ(0, ctl("fill reused 1000"));
		EXPECT_EQ(1000, ctl_get("reused", "objects"));
		EXPECT_EQ(0, finish(start(do_reclaim, NULL)));
		EXPECT_GT(100, ctl_get("reused", "objects"));
		EXPECT_EQ(0, ctl("del reused"));
	}
}

/*
 * G19: the maps of all memcgs are replaced, twice, while a walk that goes by
 * one of them is inside a callback.
 */
TEST_F_TIMEOUT(shrinker, map_is_replaced, 120)
{
	pid_t walker;
	int i;

	if (!make_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");

	ASSERT_EQ(0, ctl("add map memcg"));
	ASSERT_EQ(0, ctl("fill map 1000"));
	ASSERT_EQ(0, ctl("hold map"));
	walker = start(do_reclaim, NULL);
	ASSERT_TRUE(wait_until("map", "held", 1));

	for (i = 0; i < 130; i++)
		ASSERT_EQ(0, ctl("add map%d memcg", i));
	grace_period();
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
	int fd, n;

	mkdir(dir, 0700);
	for (n = 1; n < 500; n++) {
		fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
		snprintf(text, sizeof(text), "%d", n);
		if (write(fd, text, strlen(text)) < 0)
			return -1;
		if (!mount("none", dir, "ramfs", 0, NULL))
			umount2(dir, 0);
		memset(text, 0, sizeof(text));
		if (pread(fd, text, sizeof(text) - 1, 0) < 0)
			return -1;
		/* What is left of n, if there were less of them. */
		if (atoi(text)) {
			pwrite(fd, "0", 1, 0);
			close(fd);
			return n - 1;
		}
		close(fd);
	}
	return -1;
}

/*
 * G13: a mount that fails, at any of its allocations, takes nobody's id away.
 * The super_block mounted in between may have the one that was: reclaim in a
 * memcg does not find its dentries then. (A sysfs, because it keeps dentries of
 * names that do not exist, and each network namespace has its own.)
 */
TEST_F_TIMEOUT(shrinker, failed_mount, 180)
{
	long before, after;
	char path[64];
	struct stat st;
	int n;

	if (!make_cgroup())
		SKIP(return, "needs cgroup v2 with memory.reclaim and slab in it");
	if (access("/proc/self/fail-nth", W_OK) ||
	    access("/sys/kernel/debug/failslab", F_OK))
		SKIP(return, "needs FAILSLAB and FAULT_INJECTION_DEBUG_FS");
	if (unshare(CLONE_NEWNET))
		SKIP(return, "needs network namespaces");
	write_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/failslab/verbose", "0");

	EXPECT_LT(5, fail_mounts(MNT "/fail"));
	ASSERT_EQ(0, mount_at(MNT "/x", "sysfs"));
	EXPECT_LT(5, fail_mounts(MNT "/fail"));

	for (n = 0; n < 20000; n++) {
		snprintf(path, sizeof(path), MNT "/x/%d", n);
		stat(path, &st);
	}
	before = charged_slab();
	ASSERT_LT(1000000, before);
	EXPECT_EQ(0, finish(start(do_reclaim, NULL)));
	after = charged_slab();
	EXPECT_LT(after, before / 4) {
		TH_LOG("slab_reclaimable %ld, after reclaim %ld bytes",
		       before, after);
	}
	EXPECT_EQ(0, umount2(MNT "/x", 0));
}

TEST_HARNESS_MAIN

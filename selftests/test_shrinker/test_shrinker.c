// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shrinkers that do what user space says, to test the core that calls them.
 *
 * <debugfs>/test_shrinker/ctl takes one command a write:
 *
 *   add NAME [memcg]         register a shrinker
 *   fill NAME N              give it N objects, charged to the writer's memcg
 *   hold NAME [count|scan]   from now on its callbacks block, for 30 s at most
 *   release NAME             let them go on
 *   suicide NAME             the next callback unregisters its own shrinker,
 *                            which lockdep reports, and which never returns
 *   del NAME                 unregister it, and free it at once
 *
 * A read shows a line for each shrinker, and what became of the last one that
 * was deleted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/list_lru.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poison.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#define HOLD_LIMIT	(30 * HZ)

enum { HOLD_NONE, HOLD_COUNT, HOLD_SCAN, HOLD_SUICIDE };

struct test_shrinker {
	struct shrinker shrinker;
	struct list_lru lru;
	bool lru_ready;
	struct list_head node;		/* test_shrinkers */
	bool busy;			/* being registered or unregistered */
	int hold;
	wait_queue_head_t released;
	atomic_t held;			/* callbacks that are blocked */
	atomic_long_t calls, scans;
	char name[32];
};

struct test_object {
	struct list_head lru;
	char weight[112];
};

static DEFINE_MUTEX(test_mutex);
static LIST_HEAD(test_shrinkers);
static struct kmem_cache *test_cache;
static struct dentry *test_dir;

static struct {
	char name[32];
	long calls, scans;
} test_last;

static void test_block(struct test_shrinker *t, int where)
{
	if (READ_ONCE(t->hold) != where)
		return;

	atomic_inc(&t->held);
	wait_event_timeout(t->released, READ_ONCE(t->hold) != where,
			   HOLD_LIMIT);
	atomic_dec(&t->held);
}

static unsigned long test_count(struct shrinker *shrinker,
				struct shrink_control *sc)
{
	struct test_shrinker *t = container_of(shrinker, struct test_shrinker,
					       shrinker);
	unsigned long objects = 0;

	atomic_long_inc(&t->calls);
	if (READ_ONCE(t->hold) == HOLD_SUICIDE)
		unregister_shrinker(shrinker);
	test_block(t, HOLD_COUNT);
	/* It is registered before it has its list_lru, which needs the id. */
	if (smp_load_acquire(&t->lru_ready))
		objects = list_lru_shrink_count(&t->lru, sc);

	return objects ?: SHRINK_EMPTY;
}

static enum lru_status test_isolate(struct list_head *item,
				    struct list_lru_one *list,
				    spinlock_t *lock, void *dispose)
{
	list_lru_isolate_move(list, item, dispose);
	return LRU_REMOVED;
}

static void test_dispose(struct list_head *dispose)
{
	struct test_object *object, *next;

	list_for_each_entry_safe(object, next, dispose, lru)
		kmem_cache_free(test_cache, object);
}

static unsigned long test_scan(struct shrinker *shrinker,
			       struct shrink_control *sc)
{
	struct test_shrinker *t = container_of(shrinker, struct test_shrinker,
					       shrinker);
	LIST_HEAD(dispose);
	unsigned long freed;

	atomic_long_inc(&t->scans);
	test_block(t, HOLD_SCAN);
	freed = list_lru_shrink_walk(&t->lru, sc, test_isolate, &dispose);
	test_dispose(&dispose);

	return freed;
}

static struct test_shrinker *test_find(const char *name)
{
	struct test_shrinker *t;

	lockdep_assert_held(&test_mutex);

	list_for_each_entry(t, &test_shrinkers, node)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/*
 * The mutex is dropped while a shrinker is registered or unregistered, so that
 * callbacks that are held, which that may have to wait for, can be released.
 */
static int test_register(struct test_shrinker *t)
{
	int err;

	t->busy = true;
	mutex_unlock(&test_mutex);
	err = register_shrinker(&t->shrinker, "test-%s", t->name);
	mutex_lock(&test_mutex);
	t->busy = false;

	return err;
}

static void test_unregister(struct test_shrinker *t)
{
	t->busy = true;
	mutex_unlock(&test_mutex);
	unregister_shrinker(&t->shrinker);
	/* The second has to be a silent no-op. */
	unregister_shrinker(&t->shrinker);
	mutex_lock(&test_mutex);
}

static int test_add(const char *name, bool memcg)
{
	struct test_shrinker *t;
	int err;

	if (test_find(name))
		return -EEXIST;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;

	strscpy(t->name, name, sizeof(t->name));
	init_waitqueue_head(&t->released);
	t->shrinker.count_objects = test_count;
	t->shrinker.scan_objects = test_scan;
	t->shrinker.seeks = DEFAULT_SEEKS;
	if (memcg)
		t->shrinker.flags = SHRINKER_MEMCG_AWARE;

	list_add(&t->node, &test_shrinkers);
	/* So far that has nothing to do, and nothing to say. */
	unregister_shrinker(&t->shrinker);
	err = test_register(t);
	if (err)
		goto free;

	if (memcg)
		err = list_lru_init_memcg(&t->lru, &t->shrinker);
	else
		err = list_lru_init(&t->lru);
	if (err)
		goto unregister;
	/* Pairs with test_count() */
	smp_store_release(&t->lru_ready, true);

	return 0;

unregister:
	test_unregister(t);
free:
	list_del(&t->node);
	kfree(t);
	return err;
}

static int test_fill(struct test_shrinker *t, unsigned long nr)
{
	struct test_object *object;

	while (nr--) {
		object = kmem_cache_alloc_lru(test_cache, &t->lru,
					      GFP_KERNEL_ACCOUNT);
		if (!object)
			return -ENOMEM;
		INIT_LIST_HEAD(&object->lru);
		list_lru_add(&t->lru, &object->lru);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static void test_set_hold(struct test_shrinker *t, int hold)
{
	WRITE_ONCE(t->hold, hold);
	wake_up_all(&t->released);
}

static void test_del(struct test_shrinker *t)
{
	LIST_HEAD(dispose);

	test_unregister(t);

	list_del(&t->node);
	strscpy(test_last.name, t->name, sizeof(test_last.name));
	test_last.calls = atomic_long_read(&t->calls);
	test_last.scans = atomic_long_read(&t->scans);

	list_lru_walk(&t->lru, test_isolate, &dispose, ULONG_MAX);
	test_dispose(&dispose);
	list_lru_destroy(&t->lru);
	/* Whoever comes late shall crash, with KASAN or without. */
	memset(t, POISON_FREE, sizeof(*t));
	kfree(t);
}

static int test_id(struct test_shrinker *t)
{
#ifdef CONFIG_MEMCG
	if (t->shrinker.flags & SHRINKER_MEMCG_AWARE)
		return t->shrinker.id;
#endif
	return -1;
}

static int test_command(char *line)
{
	char *verb = strsep(&line, " "), *name = strsep(&line, " ");
	struct test_shrinker *t;
	unsigned long nr;
	int err;

	if (!name || !*name || strlen(name) >= sizeof(t->name))
		return -EINVAL;
	if (!strcmp(verb, "add")) {
		if (line && strcmp(line, "memcg"))
			return -EINVAL;
		return test_add(name, line);
	}

	t = test_find(name);
	if (!t)
		return -ENOENT;

	if (!strcmp(verb, "hold")) {
		if (line && strcmp(line, "count") && strcmp(line, "scan"))
			return -EINVAL;
		test_set_hold(t, line && !strcmp(line, "scan") ? HOLD_SCAN :
								 HOLD_COUNT);
		return 0;
	}
	if (!strcmp(verb, "suicide")) {
		test_set_hold(t, HOLD_SUICIDE);
		return 0;
	}
	if (!strcmp(verb, "release")) {
		test_set_hold(t, HOLD_NONE);
		return 0;
	}

	if (t->busy)
		return -EBUSY;
	if (!strcmp(verb, "fill")) {
		if (!line)
			return -EINVAL;
		err = kstrtoul(line, 0, &nr);
		return err ?: test_fill(t, nr);
	}
	if (!strcmp(verb, "del")) {
		test_del(t);
		return 0;
	}
	return -EINVAL;
}

static ssize_t test_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	char *line = memdup_user_nul(buf, min_t(size_t, size, 128));
	int err;

	if (IS_ERR(line))
		return PTR_ERR(line);

	mutex_lock(&test_mutex);
	err = test_command(strim(line));
	mutex_unlock(&test_mutex);
	kfree(line);

	return err ?: size;
}

static int test_show(struct seq_file *m, void *v)
{
	struct test_shrinker *t;

	mutex_lock(&test_mutex);
	list_for_each_entry(t, &test_shrinkers, node)
		seq_printf(m, "%s held=%d calls=%ld scans=%ld objects=%lu busy=%d id=%d\n",
			   t->name, atomic_read(&t->held),
			   atomic_long_read(&t->calls),
			   atomic_long_read(&t->scans),
			   t->lru_ready ? list_lru_count(&t->lru) : 0,
			   t->busy, test_id(t));
	if (test_last.name[0])
		seq_printf(m, "last: %s calls=%ld scans=%ld\n",
			   test_last.name, test_last.calls, test_last.scans);
	mutex_unlock(&test_mutex);

	return 0;
}

static int test_open(struct inode *inode, struct file *file)
{
	return single_open(file, test_show, NULL);
}

static const struct file_operations test_fops = {
	.owner		= THIS_MODULE,
	.open		= test_open,
	.read		= seq_read,
	.write		= test_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init test_shrinker_init(void)
{
	test_cache = KMEM_CACHE(test_object, SLAB_ACCOUNT);
	if (!test_cache)
		return -ENOMEM;

	test_dir = debugfs_create_dir("test_shrinker", NULL);
	debugfs_create_file("ctl", 0600, test_dir, NULL, &test_fops);
	return 0;
}

static void __exit test_shrinker_exit(void)
{
	struct test_shrinker *t;

	debugfs_remove_recursive(test_dir);

	mutex_lock(&test_mutex);
	while ((t = list_first_entry_or_null(&test_shrinkers,
					     struct test_shrinker, node))) {
		test_set_hold(t, HOLD_NONE);
		test_del(t);
	}
	mutex_unlock(&test_mutex);
	kmem_cache_destroy(test_cache);
}

module_init(test_shrinker_init);
module_exit(test_shrinker_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Shrinkers under the control of user space");

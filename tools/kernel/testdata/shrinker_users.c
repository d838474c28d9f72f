// SPDX-License-Identifier: GPL-2.0-or-later
struct cache_set {
	struct shrinker shrink, *other, pools[2];
};
extern struct shrinker *find_shrinker(int);
static struct shrinker s __initdata = { .seeks = 2, .name = "x" };
#define STOP(c) unregister_shrinker(&(c)->shrink)

int f(struct cache_set *c, struct shrinker *const p)
{
	c->shrink.seeks = 1;
	if (prealloc_shrinker(&c->shrink, "x"))
		return container_of(p, struct cache_set, shrink)->id;
	if (c->shrink.list.next && s.flags & SHRINKER_REGISTERED)
		unregister_shrinker(&c->shrink);
	list_del(&a[0]->b(1).shrink.list);
	(&c->pools[1])->nr_deferred[0]++;
	find_shrinker(1)->batch |= 1;
	return offsetof(struct cache_set, shrink.id) +
	       offsetof(struct shrinker, debugfs_id);
}

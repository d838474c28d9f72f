/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map of a memcg: a bit for each id whose shrinker has something to reclaim.
 * Patch 5 of the series, with what patches 1 and 2 of the baseline made of it.
 *
 * X has id 0 and unregisters its shrinker; Y gets the id as soon as it is free, adds
 * an object, maybe before it registers, and another later; Z gets id 2, which the
 * map has no bit for, so that it is replaced by a larger one; id 1 is nobody's. Two
 * walks of the memcg go over the ids that have a bit, in any order of all steps.
 *
 * What holds:
 *   - in the end, the bit of whoever has objects is set in the map in use: a lost
 *     bit is memory that no reclaim in this memcg ever finds;
 *   - no map and no handle is touched after a grace period;
 *   - a bit is only set in a map that has it.
 *
 * A guard is taken out with
 *   -DBIT_OF_UNPINNABLE_CLEARED     a walk clears the bit of who refuses the pin
 *   -DFREE_ID_NOT_LOOKED_AT_AGAIN   a walk clears the bit of a free id, and goes on
 *   -DNOT_COUNTED_AGAIN             a bit is cleared after the last look at the objects
 *   -DSTALE_MAP                     a walk goes on with the map that it began with
 *   -DSET_OUTSIDE_RCU               who sets a bit finds the map outside of RCU
 *   -DMAP_FREED_AT_ONCE             the old map is freed without a grace period
 *   -DMAP_NOT_GROWN                 the map stays as it is
 *   -DOLD_BITS_COPIED               a new map gets the bits of the old one, not ones
 *
 * Left out: weak memory. In the kernel, who adds an object and sets the bit, and who
 * clears the bit and looks again, each has a full barrier between the two. Left out,
 * too: when a pin can be had, which is life.pml.
 */
#define OBJECTS	5
#include "rcu.h"

#define X	0
#define Y	1
#define Z	2
#define NONE	3
#define MAP(m)	(3 + m)		/* as an object of rcu.h */
#define HAS(set, i)	((set >> i) & 1)
#define NAME(h)	('X' + h)

byte owner[3] = NONE;		/* shrinker_idr: the handle of an id */
byte registered;		/* a bit a handle: can be pinned */
byte pins[3];
byte objects[3];
byte map[2];			/* the bits */
byte nr[2];			/* how many of them there are */
byte cur;			/* memcg->nodeinfo[nid]->shrinker_info */

inline set_bit(m, id)
{
	d_step {
		touch(MAP(m));
		assert(id < nr[m]);
		map[m] = map[m] | (1 << id);
		printf("%d|sets bit %d of map %d\n", _pid, id, m)
	}
}

inline clear_bit(m, id)
{
	d_step {
		touch(MAP(m));
		map[m] = map[m] & ~(1 << id);
		printf("%d|clears bit %d of map %d\n", _pid, id, m)
	}
}

/* set_shrinker_bit() */
inline set_shrinker_bit(id)
{
#ifdef SET_OUTSIDE_RCU
	m = cur;
	set_bit(m, id);
#else
	d_step { rcu_read_lock(); m = cur }
	set_bit(m, id);
	d_step { rcu_read_unlock() }
#endif
	m = 0
}

/* list_lru_add() */
inline add_object(h, id)
{
	d_step {
		objects[h]++;
		printf("%d|%c adds an object\n", _pid, NAME(h))
	}
	set_shrinker_bit(id)
}

inline count(h)
{
	d_step {
		empty_ = (objects[h] == 0);
		printf("%d|%c has %d objects\n", _pid, NAME(h), objects[h])
	}
}

/* What shrink_slab_memcg() does with a shrinker that it has pinned. */
inline shrink(h, id)
{
	count(h);
	if
	:: !empty_
	:: !empty_ ->
		d_step {
			if
			:: objects[h] > 0 -> objects[h]--
			:: else
			fi
		}
	:: empty_ ->
		/* clear_shrinker_bit() */
		d_step { rcu_read_lock(); m = cur }
		clear_bit(m, id);
		d_step { rcu_read_unlock(); m = 0 }
#ifndef NOT_COUNTED_AGAIN
		count(h);
		if
		:: empty_
		:: !empty_ -> set_shrinker_bit(id)
		fi
#endif
	fi;
	empty_ = false
}

proctype walk()
{
	byte info, id, h, max, m;
	bool empty_;

	d_step {
		rcu_read_lock();
		info = cur;
		max = nr[info];
		printf("%d|a walk begins with map %d\n", _pid, info)
	}
	do
	:: id == max -> break
	:: id < max ->
		d_step { touch(MAP(info)); empty_ = !HAS(map[info], id) }
		if
		:: empty_ -> empty_ = false
		:: else ->
			d_step { h = owner[id]; printf("%d|looks id %d up\n", _pid, id) }
			if
			:: h == NONE ->
				/* clear_free_id() */
				clear_bit(info, id);
#ifndef FREE_ID_NOT_LOOKED_AT_AGAIN
				if
				:: owner[id] == NONE
				:: owner[id] != NONE -> set_bit(info, id)
				fi
#endif
			:: else ->
				d_step {
					touch(h);
					empty_ = !HAS(registered, h);
					if
					:: empty_ -> printf("%d|%c refuses the pin\n", _pid, NAME(h))
					:: else -> pins[h]++; printf("%d|pins %c\n", _pid, NAME(h))
					fi
				}
				if
				:: empty_ ->
					empty_ = false;
#ifdef BIT_OF_UNPINNABLE_CLEARED
					clear_bit(info, id)
#endif
				:: else ->
					d_step { rcu_read_unlock() }
					shrink(h, id);
					d_step {
						rcu_read_lock();
						pins[h]--;
#ifndef STALE_MAP
						info = cur;
#endif
						printf("%d|unpins, goes on with map %d\n", _pid, info)
					}
				fi
			fi
		fi;
		id++
	od;
	atomic { rcu_read_unlock(); info = 0; id = 0; h = 0; max = 0 }
}

proctype owner_x()
{
	d_step {
		registered = registered & ~(1 << X);
		printf("%d|X refuses pins\n", _pid)
	}
	pins[X] == 0;
	d_step {
		owner[0] = NONE;
		objects[X] = 0;
		kfree_rcu(X);
		printf("%d|X is gone, id 0 is free\n", _pid)
	}
}

inline prealloc(h, id)
{
	atomic {
		owner[id] == NONE -> owner[id] = h;
		printf("%d|%c gets id %d\n", _pid, NAME(h), id)
	}
}

inline register(h)
{
	d_step {
		registered = registered | (1 << h);
		printf("%d|%c registers\n", _pid, NAME(h))
	}
}

proctype owner_y()
{
	byte m;

	prealloc(Y, 0);
	if
	:: true -> add_object(Y, 0)
	:: true
	fi;
	register(Y);
	add_object(Y, 0)
}

proctype owner_z()
{
	byte m;

	prealloc(Z, 2);
#ifndef MAP_NOT_GROWN
	/* expand_one_shrinker_info() */
	d_step {
#ifdef OLD_BITS_COPIED
		map[1] = map[0];
#else
		map[1] = 3;
#endif
		nr[1] = 3;
		printf("%d|makes a map of 3\n", _pid)
	}
	d_step {
		cur = 1;
#ifdef MAP_FREED_AT_ONCE
		kfree(MAP(0));
#else
		kfree_rcu(MAP(0));
#endif
		printf("%d|puts map 1 in place of map 0\n", _pid)
	}
#endif
	register(Z);
	add_object(Z, 2)
}

init {
	atomic {
		nr[0] = 2;
		owner[0] = X;
		registered = 1 << X;
		objects[X] = 1;
		map[0] = 1;
		run walk();
		run walk();
		run owner_x();
		run owner_y();
		run owner_z()
	}
	atomic {
		_nr_pr == 1;
		assert(objects[Y] == 0 || HAS(map[cur], 0));
		assert(objects[Z] == 0 || HAS(map[cur], 2))
	}
}

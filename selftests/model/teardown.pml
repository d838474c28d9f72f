/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is left of a dead super_block: patch 7 of the series, fs/super.c.
 *
 * Three super_blocks are deactivated at the same time. Each leaves its lru lists to
 * the work item, or destroys them itself when MAX_DEAD_LRUS, here 1, are left
 * already. After a grace period RCU puts it on the list of its CPU; the work item
 * takes all that are there, destroys lists, and frees. Somebody looks at the
 * super_blocks under RCU meanwhile.
 *
 * What holds:
 *   - each is freed, once, not before its lists are destroyed, and those once;
 *   - not more than MAX_DEAD_LRUS have left their lists to the work item;
 *   - none is touched after it was freed;
 *   - in the end nothing is left, and the count is 0.
 *
 * A guard is taken out with
 *   -DWITHOUT_BOUND         all leave their lists to the work item
 *   -DQUEUED_BEFORE_ADDED   the work item is queued before the list is added to
 *   -DQUEUED_ONCE           it is queued for the first of all only
 *   -DTAKEN_ONE_BY_ONE      the work item takes one, though it is queued once for all
 *   -DDESTROYED_UNSEEN      it does not see that the lists are destroyed
 *   -DFREED_FIRST           it frees a super_block before it looks at its lists
 *   -DNO_GRACE_PERIOD       the super_block is on the list at once
 *
 * Left out: weak memory; llist_add() and llist_del_all() are fully ordered. The list
 * is that of one CPU: each has its own, with a work item of its own.
 */
#define OBJECTS	3
#include "rcu.h"

#define MAX_DEAD_LRUS	1
#define HAS(set, s)	((set >> s) & 1)
#define ALL	7

byte lists = ALL;		/* super_blocks whose lru lists are not destroyed */
byte nr_dead_lrus;
byte left;			/* the lists that were left to the work item */
byte visible = ALL;		/* can be found under RCU */
byte dead;			/* dead_supers.list, the oldest may be any */
byte freed;
bool queued;			/* dead_supers.work is pending */

inline destroy_lists(s)
{
	d_step {
		assert(HAS(lists, s) && !HAS(freed, s));
		lists = lists & ~(1 << s);
		left = left & ~(1 << s);
		printf("%d|destroys the lists of %d\n", _pid, s)
	}
	d_step { nr_dead_lrus-- }
}

inline queue_work()
{
	d_step {
		queued = true;
		printf("%d|queues the work\n", _pid)
	}
}

/* Whether the list was empty is what llist_add() returns. */
inline llist_add(s)
{
	d_step {
		first = (dead == 0);
#ifdef QUEUED_ONCE
		first = (dead == 0 && freed == 0);
#endif
		dead = dead | (1 << s);
		printf("%d|adds %d to the list\n", _pid, s)
	}
}

/* deactivate_locked_super(), put_super(), and then RCU: destroy_super_rcu() */
proctype deactivate(byte s)
{
	bool many, first;

	d_step {
		nr_dead_lrus++;
		many = (nr_dead_lrus > MAX_DEAD_LRUS);
#ifdef WITHOUT_BOUND
		many = false;
#endif
		if
		:: many
		:: else -> left = left | (1 << s); assert((left & (left - 1)) == 0);
			printf("%d|leaves the lists of %d\n", _pid, s)
		fi
	}
	if
	:: many -> destroy_lists(s)
	:: else
	fi;
	d_step {
		visible = visible & ~(1 << s);
		waits_for[s] = readers;
		printf("%d|%d goes to RCU\n", _pid, s)
	}
#ifndef NO_GRACE_PERIOD
	waits_for[s] == 0;
#endif
#ifdef QUEUED_BEFORE_ADDED
	if
	:: dead == 0 -> queue_work()
	:: else
	fi;
	llist_add(s)
#else
	llist_add(s);
	if
	:: first -> queue_work()
	:: else
	fi
#endif
}

inline destroy_dead_lrus(s)
{
#ifndef DESTROYED_UNSEEN
	if
	:: HAS(lists, s) ->
#endif
		destroy_lists(s)
#ifndef DESTROYED_UNSEEN
	:: else
	fi
#endif
}

inline free_super(s)
{
	d_step {
		assert(!HAS(freed, s));
		freed = freed | (1 << s);
		kfree(s);
		printf("%d|frees %d\n", _pid, s)
	}
}

/* destroy_dead_supers(); it never runs twice at a time. */
active proctype work()
{
	byte list, s;

	do
	:: freed == ALL && !queued -> break
	:: queued ->
		d_step {
			queued = false;
			list = dead;
#ifdef TAKEN_ONE_BY_ONE
			list = dead & -dead;
#endif
			dead = dead & ~list;
			printf("%d|the work takes what is there: %d\n", _pid, list)
		}
#ifdef FREED_FIRST
		s = 0;
		do
		:: s < 3 && HAS(list, s) -> free_super(s); destroy_dead_lrus(s); s++
		:: s < 3 && !HAS(list, s) -> s++
		:: s == 3 -> break
		od;
#else
		s = 0;
		do
		:: s < 3 && HAS(list, s) -> destroy_dead_lrus(s); s++
		:: s < 3 && !HAS(list, s) -> s++
		:: s == 3 -> break
		od;
		s = 0;
		do
		:: s < 3 && HAS(list, s) -> free_super(s); s++
		:: s < 3 && !HAS(list, s) -> s++
		:: s == 3 -> break
		od;
#endif
		s = 0;
		list = 0
	od;
	assert(nr_dead_lrus == 0 && lists == 0 && dead == 0)
}

active proctype reader()
{
	d_step { rcu_read_lock(); printf("%d|looks at the super_blocks\n", _pid) }
	if
	:: HAS(visible, 0) -> d_step { touch(0) }
	:: else
	fi;
	d_step { rcu_read_unlock() }
}

init {
	atomic {
		run deactivate(0);
		run deactivate(1);
		run deactivate(2)
	}
}

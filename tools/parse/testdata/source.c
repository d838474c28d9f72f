// SPDX-License-Identifier: GPL-2.0-or-later
#define SWAP(a, b) \
	do { \
		typeof(a) __t = (a); (a) = #b[0]; (b) = __t; \
	} while (0)

#ifdef CONFIG_A
static int f(struct a *a)
{
#else
static int __printf(1, 2) f(const char *format, ...) __acquires(&lock)
{
#endif
	struct b { int x[2]; } *b = &(struct b){ .x = {0x1f, 1.5e+3} };

	/* "not a string" */
	if (a->n >>= 1) // goes on \
		here
		return '\'' + "a\
b"[0];
}
EXPORT_SYMBOL(f);

TRACE_EVENT(e, TP_PROTO(struct a *a), TP_printk("%s", {1, "x"}));

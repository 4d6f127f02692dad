/** How many of a crowd this machine draws in time. */

const SLOW = 0.08; // s a frame, from which on fewer are drawn
const PATIENCE = 1; // s of slow frames before that
const FEWEST = 16; // drawn however slow it is

export class CrowdBudget {
  most = Infinity;
  private all = 0;
  private slow = 0; // s

  /** Half of them where frames take too long; all of them again when their number changes. */
  pace(seconds: number, all: number, drawn: number): void {
    if (all !== this.all) {
      this.all = all;
      this.most = Infinity;
      this.slow = -PATIENCE; // what is new may take a while
    }
    if (drawn <= FEWEST) return;
    this.slow =
      seconds > SLOW ? this.slow + Math.min(seconds, 0.5) : Math.max(Math.min(this.slow, 0), this.slow - seconds);
    if (this.slow <= PATIENCE) return;
    this.most = Math.max(FEWEST, drawn >> 1);
    this.slow = 0;
  }
}

/** Undo and redo of settings: whole states, one entry a gesture. */

export class Undo<T> {
  private past: string[] = [];
  private future: string[] = [];

  /** Remember a state as it was before a change. */
  keep(state: T): void {
    const text = JSON.stringify(state);
    if (this.past.at(-1) === text) return;
    this.past.push(text);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  undo(now: T): T | null {
    return this.move(this.past, this.future, now);
  }

  redo(now: T): T | null {
    return this.move(this.future, this.past, now);
  }

  private move(from: string[], to: string[], now: T): T | null {
    const present = JSON.stringify(now);
    let text = from.pop();
    while (text === present) text = from.pop(); // nothing came of that gesture
    if (text === undefined) return null;
    to.push(present);
    return JSON.parse(text) as T;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }
}

/** What a key asks for: Ctrl Z undoes; Ctrl Shift Z and Ctrl Y redo. */
export function undoOrRedo(event: KeyboardEvent): "undo" | "redo" | null {
  if (!(event.ctrlKey || event.metaKey)) return null;
  const key = event.key.toLowerCase();
  return key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
}

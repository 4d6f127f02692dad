/** The files of a drop: those that were dropped, and the motion files in dropped folders. */

const MOTION = /\.(bvh|glb|gltf|vrm|vrma|npz|fbx)$/i;

/** The entries of a drop; only while its event is handled. Null for what is not on a disk. */
export function findEntries(transfer: DataTransfer | null): (FileSystemEntry | null)[] {
  return [...(transfer?.items ?? [])]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? null);
}

/** Dropped files as they are, and motion files at any depth of dropped folders, by name. */
export async function collectFiles(files: File[], entries: (FileSystemEntry | null)[]): Promise<File[]> {
  const folders = entries.filter((entry) => entry?.isDirectory) as FileSystemDirectoryEntry[];
  if (!folders.length) return files;
  const names = new Set(folders.map((folder) => folder.name)),
    found = (await Promise.all(folders.map(walk))).flat();
  return [...files.filter((file) => !names.has(file.name)), ...found];
}

async function walk(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const inside = (await list(folder)).sort((a, b) => a.name.localeCompare(b.name)),
    found: File[] = [];
  for (const entry of inside) {
    if (entry.isDirectory) found.push(...(await walk(entry as FileSystemDirectoryEntry)));
    else if (MOTION.test(entry.name))
      found.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
  }
  return found;
}

async function list(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader(),
    all: FileSystemEntry[] = [];
  for (;;) {
    // each call gives some of them, the last one none
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}

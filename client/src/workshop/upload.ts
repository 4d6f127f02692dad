/** Sending a file to the server, with its progress. */
import type { ProjectInfo } from "./messages";

/** Why the server would not take a file; empty if it would. */
export function findRefusal(file: File, project: ProjectInfo | null): string {
  const readable = project?.readable ?? [".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".npz", ".fbx"];
  if (!readable.some((suffix) => file.name.toLowerCase().endsWith(suffix)))
    return `not a motion file; readable are ${readable.join(" ")}`;
  if (project && file.size > project.largest_upload)
    return `larger than ${Math.round(project.largest_upload / 1e6)} MB; copy it to ${project.folder} yourself`;
  return "";
}

/** Another file has that name already. */
export class TakenError extends Error {}

/** An upload that tells its progress, which fetch does not. */
export function send(
  address: string,
  file: File,
  headers: Record<string, string>,
  progress: (share: number) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
    request.onerror = () => reject(new Error("the server cannot be reached"));
    request.onload = () => {
      let said: { path?: string; message?: string } = {};
      try {
        said = JSON.parse(request.responseText) as typeof said;
      } catch {
        // an answer that is not JSON is reported by its status below
      }
      if (request.status === 200 && said.path) resolve(said.path);
      else
        reject(
          new (request.status === 409 ? TakenError : Error)(said.message ?? `the server answered ${request.status}`),
        );
    };
    request.send(file);
  });
}

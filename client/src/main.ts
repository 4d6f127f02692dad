/** Where the page begins: it needs a browser that can draw. */
import "./ui/theme.css";
import "./ui/shell.css";
import "./ui/corners.css";
import "./ui/covers.css";
import "./ui/controls.css";
import "./ui/fields.css";
import "./ui/touch.css";
import "./ui/stage.css";
import { h } from "./ui/elements";
import { startTheme } from "./ui/theme";

startTheme();
if (document.createElement("canvas").getContext("webgl2")) void import("./page");
else
  document.body.append(
    h(
      "div.cover",
      h(
        "div.card",
        h("h2", "This browser cannot draw the character"),
        h(
          "p",
          "Kinematch Studio draws with WebGL 2, which is off or missing here. Turn on hardware acceleration in the browser's settings and start it again, update the graphics driver, or try another browser.",
        ),
      ),
    ),
  );
